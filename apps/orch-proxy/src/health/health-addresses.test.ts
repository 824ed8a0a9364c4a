import type { NetworkInterfaceInfo } from "node:os";
import { expect, test } from "vitest";
import { healthAddresses } from "./health-addresses.ts";

const info = (address: string): NetworkInterfaceInfo => {
  const shared = { address, netmask: "", mac: "", internal: false, cidr: null };
  return address.includes(":") ? { ...shared, family: "IPv6", scopeid: 0 } : { ...shared, family: "IPv4" };
};
const dual = { eth0: ["192.0.2.7", "198.51.100.7", "fd00::7", "fe80::7"].map(info) };
const listening = (nodePortAddresses: readonly string[], interfaces = dual) =>
  healthAddresses({ nodePortAddresses, nftables: { cniResults: "", tableName: "t" } }, interfaces).map(
    ({ host, isOneFamily = false }) => `${host}${isOneFamily ? " alone" : ""}`,
  );

test.each([
  [[], ["::"]],
  [["0.0.0.0/0"], ["::"]],
  // Link-local addresses cannot be listened on without an interface: the range is no list of addresses.
  [["::/0"], ["::"]],
  [["192.0.2.0/24"], ["192.0.2.7", ":: alone"]],
  [
    ["192.0.2.0/24", "::/0"],
    ["192.0.2.7", ":: alone"],
  ],
  [
    ["192.0.2.0/24", "fd00::/64"],
    ["192.0.2.7", "fd00::7"],
  ],
  [["192.0.2.0/24", "fe80::/10"], ["192.0.2.7"]],
  [["203.0.113.0/24", "fd01::/64"], []],
])("with nodePortAddresses %j the health of services is served at %j", (ranges, expected) => {
  expect(listening(ranges)).toEqual(expected);
});

test("a host without IPv6 has addresses of the other family alone", () => {
  const single = { eth0: ["192.0.2.7"].map(info) };
  expect(listening(["192.0.2.0/24"], single)).toEqual(["192.0.2.7"]);
  expect(listening([], single)).toEqual(["::"]);
});

test("of several nodes on one host each serves at its own addresses", () => {
  const onlyNode = { podInterfaces: [], addresses: ["192.0.2.7"], hostTraffic: true };
  expect(healthAddresses({ nodePortAddresses: [], nftables: { cniResults: "", tableName: "t", onlyNode } })).toEqual([
    { host: "192.0.2.7" },
  ]);
});
