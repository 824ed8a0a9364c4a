import { expect, test } from "vitest";
import { addressToBytes, bytesToAddress, decodeAltNames, encodeAltNames, hostsToAltNames } from "./alt-names.ts";

test.each([
  ["10.0.0.1", "0a000001", "10.0.0.1"],
  ["::1", `${"00".repeat(15)}01`, "::1"],
  ["::", "00".repeat(16), "::"],
  ["FD00:0:0:1::9", "fd000000000000010000000000000009", "fd00:0:0:1::9"],
  ["::ffff:10.0.0.1", `${"00".repeat(10)}ffff0a000001`, "::ffff:a00:1"],
  ["1:2:3:4:5:6:7:8", "00010002000300040005000600070008", "1:2:3:4:5:6:7:8"],
  ["fe80::1%eth0", `fe80${"00".repeat(13)}01`, "fe80::1"],
])("address %s", (given, hex, canonical) => {
  expect(addressToBytes(given).toString("hex")).toBe(hex);
  expect(bytesToAddress(Buffer.from(hex, "hex"))).toBe(canonical);
});

test.each(["", "10.0.0", "g::1", "host"])("%j is not an address", (given) => {
  expect(() => addressToBytes(given)).toThrow("is not an IP address");
});

test("hosts are sorted into names and addresses once each, and survive encoding", () => {
  const names = hostsToAltNames(["a.example", "10.0.0.1", "a.example", "", "fd00::1", "*.b.example"]);
  expect(names.dnsNames).toEqual(["a.example", "*.b.example"]);
  expect(names.ipAddresses).toEqual(["10.0.0.1", "fd00::1"]);
  expect(decodeAltNames(encodeAltNames(names))).toEqual(names);
});
