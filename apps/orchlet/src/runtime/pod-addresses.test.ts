import { expect, test } from "vitest";
import { podAddresses } from "./pod-addresses.ts";

const [v4, v6] = ["10.0.0.1", "fd00::1"];

test.each([
  ["an IPv4 node", ["192.0.2.1"], [v6, v4], [v4, v6]],
  ["an IPv6 node", ["2001:db8::1"], [v4, v6], [v6, v4]],
  ["a dual-stack node with IPv6 first", ["2001:db8::1", "192.0.2.1"], [v4, v6], [v6, v4]],
  ["a node without an address", [], [v6, v4], [v4, v6]],
  ["an IPv4 node, of a pod with IPv6 only", ["192.0.2.1"], [v6], [v6]],
  ["an IPv4 node, of a pod with several of a family", ["192.0.2.1"], ["10.0.0.1", "10.0.0.2", v6, "fd00::2"], [v4, v6]],
  ["an IPv4 node, of a pod without any", ["192.0.2.1"], ["", "none"], []],
])("addresses of a pod on %s are in the order of the node's families", (_, nodeIPs, ips, want) => {
  expect(podAddresses(ips, nodeIPs)).toEqual(want);
});
