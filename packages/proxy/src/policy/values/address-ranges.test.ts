import { expect, test } from "vitest";
import { addressRangeText, blockRanges } from "./address-ranges.ts";
import { readAddress } from "./addresses.ts";

function texts(cidr: string, except?: readonly string[]): readonly string[] | undefined {
  const found = blockRanges(cidr, except);
  return found?.ranges.map((range) => addressRangeText(found.family, range));
}

test.each([
  ["10.1.2.3/24", [], ["10.1.2.0-10.1.2.255"]],
  ["10.1.2.3/32", [], ["10.1.2.3"]],
  ["0.0.0.0/0", [], ["0.0.0.0-255.255.255.255"]],
  ["0.0.0.0/0", ["0.0.0.0/1"], ["128.0.0.0-255.255.255.255"]],
  ["0.0.0.0/0", ["128.0.0.0/1"], ["0.0.0.0-127.255.255.255"]],
  ["10.0.0.0/29", ["10.0.0.2/32", "10.0.0.3/32", "10.0.0.6/31"], ["10.0.0.0-10.0.0.1", "10.0.0.4-10.0.0.5"]],
  ["10.0.0.0/30", ["10.0.0.0/31", "10.0.0.0/32", "10.0.0.2/31"], []],
  ["10.0.0.0/30", ["11.0.0.0/8"], ["10.0.0.0-10.0.0.3"]],
  ["fd00::/126", ["fd00::1/128"], ["fd00:0:0:0:0:0:0:0", "fd00:0:0:0:0:0:0:2-fd00:0:0:0:0:0:0:3"]],
  ["::/0", [], ["0:0:0:0:0:0:0:0-ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"]],
])("the addresses of %s without %j", (cidr, except, want) => {
  expect(texts(cidr, except)).toEqual(want);
});

test.each([
  ["10.0.0.0", []],
  ["10.0.0.0/33", []],
  ["x/8", []],
  ["10.0.0.0/8", ["fd00::/8"]],
  ["10.0.0.0/8", ["10.0.0.0/-1"]],
])("%s without %j is not a block", (cidr, except) => {
  expect(texts(cidr, except)).toBeUndefined();
});

test.each([
  ["10.1.2.3", "10.1.2.3"],
  ["::ffff:10.1.2.3", "10.1.2.3"],
  ["FD00::0A", "fd00:0:0:0:0:0:0:a"],
])("an address has one form: %s", (text, want) => {
  expect(readAddress(text)?.text).toBe(want);
});

test.each(["", "10.1.2", "fe80::1%eth0", "10.1.2.3; drop"])("%j is no address", (text) => {
  expect(readAddress(text)).toBeUndefined();
});
