import { expect, test } from "vitest";
import { deleteFlows, deletions } from "./connection-tracking.ts";

test("entries are deleted by destination, and by endpoint where only that is gone", () => {
  const flow = { protocol: "udp", address: "10.96.0.10", port: 53, endpoint: undefined } as const;
  const endpoint = { address: "10.64.0.7", port: 5353 };
  expect(
    deletions([
      flow,
      flow,
      { ...flow, endpoint },
      { ...flow, address: "fd00::a" },
      { ...flow, address: undefined, port: 30_053 },
      { ...flow, address: undefined, port: 30_053, endpoint },
    ]),
  ).toBe(`-D -f ipv4 -p udp --orig-port-dst 53 --orig-dst 10.96.0.10
-D -f ipv4 -p udp --orig-port-dst 53 --orig-dst 10.96.0.10 --dst-nat 10.64.0.7
-D -f ipv6 -p udp --orig-port-dst 53 --orig-dst fd00::a
-D -f ipv4 -p udp --orig-port-dst 30053
-D -f ipv6 -p udp --orig-port-dst 30053
-D -f ipv4 -p udp --orig-port-dst 30053 --dst-nat 10.64.0.7
`);
});

test("nothing is run for nothing, and a missing program is an error", async () => {
  await deleteFlows([], ["/gone"]);
  const flow = { protocol: "udp", address: "10.96.0.10", port: 53, endpoint: undefined } as const;
  await expect(deleteFlows([flow], ["/gone"])).rejects.toThrow("ENOENT");
});
