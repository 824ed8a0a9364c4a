import type { NetworkInterfaceInfo } from "node:os";
import { expect, test } from "vitest";
import { nodeAddresses } from "./node-addresses.ts";

const address = (text: string, internal = false) =>
  ({ address: text, family: text.includes(":") ? "IPv6" : "IPv4", internal }) as NetworkInterfaceInfo;

const interfaces = {
  lo: [address("127.0.0.1", true), address("::1", true)],
  eth0: [address("fe80::1"), address("fd00::5"), address("10.0.0.5")],
};

// shows: --node-ip
test.each([
  ["", ["10.0.0.5"]],
  ["0.0.0.0", ["10.0.0.5"]],
  ["::", ["fd00::5"]],
  ["192.0.2.1", ["192.0.2.1"]],
  ["192.0.2.1, fd00::1", ["192.0.2.1", "fd00::1"]],
])("--node-ip=%j gives %j", (text, ips) => {
  expect(nodeAddresses(text, interfaces)).toEqual({ ips });
});

test.each([
  ["node-a", /found "node-a"; want an IP address/],
  ["192.0.2.1,192.0.2.2", /want at most one address of each family/],
  ["192.0.2.1,fd00::1,fd00::2", /want at most one address of each family/],
])("--node-ip=%j is rejected", (text, message) => {
  expect(Object.values(nodeAddresses(text, interfaces)).join()).toMatch(message);
});

test("a machine without other addresses uses the loopback address", () => {
  expect(nodeAddresses("", { lo: [address("127.0.0.1", true)] })).toEqual({ ips: ["127.0.0.1"] });
});
