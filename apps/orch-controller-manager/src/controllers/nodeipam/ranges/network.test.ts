import { expect, test } from "vitest";
import { contains, overlap, parseNetwork, subnetOf } from "./network.ts";

function network(text: string) {
  const found = parseNetwork(text);
  if (found === undefined) throw new Error(`${text} is not a range`);
  return found;
}

test.each([
  ["10.1.2.3/16", "10.1.0.0/16"],
  [" fd00:0:0:1::/64 ", "fd00:0:0:1::/64"],
  ["0.0.0.0/0", "0.0.0.0/0"],
  ["::/0", "::/0"],
  ["10.0.0.1/32", "10.0.0.1/32"],
])("%j is the range %s", (text, canonical) => {
  expect(network(text).text).toBe(canonical);
});

test.each(["", "10.0.0.0", "10.0.0.0/33", "10.0.0.0/-1", "fd00::/129", "a/8", "10.0.0.0/8,"])("%j is none", (text) => {
  expect(parseNetwork(text)).toBeUndefined();
});

test.each([
  ["10.244.0.0/16", 24, 0, "10.244.0.0/24"],
  ["10.244.0.0/16", 24, 255, "10.244.255.0/24"],
  ["0.0.0.0/0", 32, 2 ** 32 - 1, "255.255.255.255/32"],
  ["fd00::/48", 64, 0xabcd, "fd00:0:0:abcd::/64"],
  ["fd00::/112", 128, 1, "fd00::1/128"],
  ["fd00::/60", 72, 0x1ff, "fd00:0:0:1:ff00::/72"],
])("range %s has with prefix %i as number %i the range %s", (text, bits, index, want) => {
  expect(subnetOf(network(text), bits, index).text).toBe(want);
});

test.each([
  ["10.0.0.0/8", "10.1.0.0/16", true, true],
  ["10.1.0.0/16", "10.0.0.0/8", true, false],
  ["10.0.0.0/8", "10.0.0.0/8", true, true],
  ["10.0.0.0/16", "10.1.0.0/16", false, false],
  ["0.0.0.0/0", "fd00::/64", false, false],
])("%s and %s overlap: %s; the first contains the second: %s", (a, b, both, within) => {
  expect([overlap(network(a), network(b)), contains(network(a), network(b))]).toEqual([both, within]);
});
