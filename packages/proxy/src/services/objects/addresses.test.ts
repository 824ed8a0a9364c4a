import { expect, test } from "vitest";
import { addressesOf, rangesOf, readAddress } from "./addresses.ts";

test.each([
  ["10.0.0.1", "10.0.0.1"],
  ["010.000.0.1", "10.0.0.1"],
  ["::ffff:10.0.0.1", "10.0.0.1"],
  ["::", "::"],
  ["::1", "::1"],
  ["fd00::", "fd00::"],
  ["FD00:0:0:0:0:0:0:1", "fd00::1"],
  ["fd00:0:0:1:0:0:0:1", "fd00:0:0:1::1"],
  ["fd00:0:0:1:1:0:0:1", "fd00::1:1:0:0:1"],
  ["fd00:0:10:100:1:20:0:1", "fd00:0:10:100:1:20:0:1"],
  ["0:0:0:1:0:0:0:0", "0:0:0:1::"],
])("the address %s is written as %s", (text, want) => {
  expect(readAddress(text)?.text).toBe(want);
  expect(readAddress(want)?.text).toBe(want);
});

test.each(["", "10.0.0", "10.0.0.1/8", "10.0.0.1, drop", "fd00::1%eth0", "example.com"])("%j is no address", (text) => {
  expect(readAddress(text)).toBeUndefined();
});

test("addresses of one family are found once each", () => {
  expect(addressesOf(["10.0.0.1", "fd00::1", undefined, "10.0.0.01", "x"], "IPv4")).toEqual(["10.0.0.1"]);
});

test("tens of thousands of ranges are read in time that grows with their number", () => {
  const texts = Array.from({ length: 40_000 }, (_, i) => `10.${i >> 8}.${i & 0xff}.7/32`);
  const start = performance.now();
  expect(rangesOf(texts.reverse(), "IPv4")).toHaveLength(40_000);
  expect(performance.now() - start).toBeLessThan(2500);
});

test("ranges have no bits beyond their prefix, and none is inside of another one", () => {
  const texts = ["10.1.2.3/16", " 10.0.0.0/8 ", "192.0.2.1/32", "192.0.2.1/32", "fd00::/64", "x", "0.0.0.0/33"];
  expect(rangesOf(texts, "IPv4").map(({ text }) => text)).toEqual(["10.0.0.0/8", "192.0.2.1/32"]);
  expect(rangesOf(texts, "IPv6").map(({ text }) => text)).toEqual(["fd00::/64"]);
  const nested = ["10.2.0.0/16", "10.0.0.0/24", "10.0.0.0/16", "10.0.0.0/15", "9.0.0.0/8", "10.2.3.0/24"];
  expect(rangesOf(nested, "IPv4").map(({ text }) => text)).toEqual(["9.0.0.0/8", "10.0.0.0/15", "10.2.0.0/16"]);
  expect(rangesOf([...texts, "1.2.3.4/0"], "IPv4").map(({ text }) => text)).toEqual(["0.0.0.0/0"]);
});
