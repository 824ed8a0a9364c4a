import { expect, test } from "vitest";
import type { ClientRow, Operation, Outcome } from "./operations.ts";
import { renderClients } from "./table.ts";

const row = (name: string, ...outcomes: readonly (readonly [Operation, Outcome])[]): ClientRow => ({
  name,
  outcomes: new Map(outcomes),
});

test("a row per client, and the reasons of failures below", () => {
  const rows: readonly ClientRow[] = [
    row(
      "a 1",
      ["create", { type: "passed" }],
      ["list", { type: "failed", why: "x | y\nz" }],
      ["apply", { type: "absent" }],
    ),
    row("b 2", ["exec", { type: "skipped", why: "no node" }]),
    { name: "c 3", missing: "not here" },
  ];
  const lines = renderClients(rows, "2026-01-02").split("\n");
  expect(lines.slice(4)).toEqual([
    "| a 1 | ✓ | ✗ |  |  |  |  | – |  |  |  |  |",
    "| b 2 |  |  |  |  |  |  |  |  |  |  | skipped: no node |",
    "| c 3 | skipped: not here |  |  |  |  |  |  |  |  |  |  |",
    "",
    "- a 1, list: x \\| y z",
  ]);
});

test("no failures, no reasons", () => {
  expect(renderClients([], "2026-01-02").split("\n")).toHaveLength(4);
});
