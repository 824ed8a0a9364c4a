import { expect, test } from "vitest";
import { leasesBefore } from "./abandoned-leases.ts";

const output = `ID       CREATED AT           LABELS
early    2026-01-01T00:00:01Z containerd.io/gc.expire=2026-01-02T00:00:01Z
same     2026-01-01T00:00:02Z -
late     2026-01-01T00:00:03Z -
`;

test("leases of an earlier second are those of calls that were interrupted", () => {
  expect(leasesBefore(output, Date.parse("2026-01-01T00:00:02.500Z"))).toEqual(["early"]);
  expect(leasesBefore("ID CREATED AT LABELS\n", Date.now())).toEqual([]);
});
