import { expect, test } from "vitest";
import {
  addressToBytes,
  bytesToAddress,
  decodeAltNames,
  encodeAltNames,
  hostsToAltNames,
  isEmptyAltNames,
  noAltNames,
} from "./alt-names.ts";
import { contextPrimitive, sequence } from "./der.ts";

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

test("mail addresses and URIs survive encoding, too", () => {
  const names = { ...noAltNames, emailAddresses: ["a@example.com"], uris: ["spiffe://a/b"] };
  expect(decodeAltNames(encodeAltNames(names))).toEqual(names);
  expect([isEmptyAltNames(names), isEmptyAltNames(noAltNames)]).toEqual([false, true]);
});

// Its lowest eight bits are the letter a: without the check the name would become admin.example.
test.each(["\u0161dmin.example", "caf\u00e9.example"])("%s is no name, and no other name either", (name) => {
  expect(() => encodeAltNames({ ...noAltNames, dnsNames: [name] })).toThrow(
    `x509: "${name}" cannot be encoded as an IA5String`,
  );
});

test.each([
  ["a name that is not ASCII", sequence(contextPrimitive(2, Buffer.from("caf\u00e9"))), "is malformed"],
  ["an address of five bytes", sequence(contextPrimitive(7, Buffer.alloc(5))), "an IP address of 5 bytes"],
  ["no list", contextPrimitive(2, Buffer.from("a")), "expected a constructed ASN.1 value"],
])("%s is refused", (_name, value, message) => {
  expect(() => decodeAltNames(value)).toThrow(message);
});

test("kinds of names without a use are left out", () => {
  const value = sequence(contextPrimitive(8, Buffer.from([42, 3])), contextPrimitive(2, Buffer.from("a")));
  expect(decodeAltNames(value)).toEqual({ ...noAltNames, dnsNames: ["a"] });
});
