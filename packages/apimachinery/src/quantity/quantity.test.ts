import { expect, test } from "vitest";
import { canonicalQuantity, milliValueOf, wholeValueOf } from "./fast.ts";
import { QuantityError } from "./grammar.ts";
import { parseQuantity, Quantity } from "./quantity.ts";

test.each([
  ["0", "0", 0, 0],
  ["0Gi", "0", 0, 0],
  ["-0", "0", 0, 0],
  ["1000m", "1", 1, 1000],
  ["1024Mi", "1Gi", 2 ** 30, 2 ** 30 * 1000],
  ["0.5", "500m", 1, 500],
  [".5", "500m", 1, 500],
  ["5.", "5", 5, 5000],
  ["+1.5Gi", "1536Mi", 1.5 * 2 ** 30, 1.5 * 2 ** 30 * 1000],
  ["1000Ki", "1000Ki", 1024000, 1024000000],
  ["1024", "1024", 1024, 1024000],
  ["0.1Ki", "102400m", 103, 102400],
  ["1e3", "1e3", 1000, 1000000],
  ["1E3", "1e3", 1000, 1000000],
  ["12e6", "12e6", 12e6, 12e9],
  ["1500e-3", "1500e-3", 2, 1500],
  ["1E", "1E", 1e18, 1e21],
  ["100000", "100k", 1e5, 1e8],
  ["1001", "1001", 1001, 1001000],
  ["-1.5", "-1500m", -2, -1500],
  ["1n", "1n", 1, 1],
  ["0.0000000001", "1n", 1, 1],
  ["-0.0000000001", "-1n", -1, -1],
  ["1000000n", "1m", 1, 1],
  ["9223372036854775808", "9223372036854775807", 2 ** 63, 2 ** 63 * 1000],
  ["99999999999999999999Ei", "9223372036854775807", 2 ** 63, 2 ** 63 * 1000],
])("%s is %s", (text, canonical, value, milli) => {
  const parsed = parseQuantity(text);
  expect(parsed.canonical()).toBe(canonical);
  expect(parsed.value()).toBe(value);
  expect(parsed.milliValue()).toBe(milli);
  expect(canonicalQuantity(text)).toBe(canonical);
  expect(wholeValueOf(text)).toBe(value);
  expect(milliValueOf(text)).toBe(milli);
});

const wrong = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
test.each([
  ["", wrong],
  ["abc", wrong],
  ["1x", wrong],
  ["1 Gi", wrong],
  ["--1", wrong],
  ["1.2.3", wrong],
  ["1ee3", wrong],
  ["Ki", wrong],
  ["+", wrong],
  ["1ki", "unable to parse quantity's suffix"],
  ["1i", "unable to parse quantity's suffix"],
  ["1e", "unable to parse quantity's suffix"],
])("%j is refused", (text, message) => {
  expect(() => parseQuantity(text)).toThrow(new QuantityError(message));
});

test("canonical text is a fixed point and keeps the amount", () => {
  const numbers = ["1", "9", "10", "999", "1000", "1024", "1536", "123456", "0.001", "0.25", "7.125"];
  const suffixes = ["", "n", "u", "m", "k", "M", "G", "T", "P", "Ki", "Mi", "Gi", "Ti", "e0", "e3", "e-3", "E5"];
  for (const number of numbers) {
    for (const suffix of suffixes) {
      for (const sign of ["", "-"]) {
        const parsed = parseQuantity(sign + number + suffix);
        const again = parseQuantity(parsed.canonical());
        expect(again.cmp(parsed), sign + number + suffix).toBe(0);
        expect(again.canonical()).toBe(parsed.canonical());
      }
    }
  }
});

test.each([
  ["1Gi", "512Mi", "1536Mi", "512Mi", 1],
  ["100m", "0.9", "1", "-800m", -1],
  ["0", "1Gi", "1Gi", "-1Gi", -1],
  ["1Ki", "1024", "2Ki", "0", 0],
])("%s and %s", (a, b, sum, difference, order) => {
  const [x, y] = [parseQuantity(a), parseQuantity(b)];
  expect(x.add(y).canonical()).toBe(sum);
  expect(x.sub(y).canonical()).toBe(difference);
  expect(x.cmp(y)).toBe(order);
  expect(x.neg().neg().cmp(x)).toBe(0);
});

test("thousandths round away from zero", () => {
  expect(parseQuantity("1u").roundUpToMilli().canonical()).toBe("1m");
  expect(parseQuantity("1.0001").roundUpToMilli().canonical()).toBe("1001m");
  expect(parseQuantity("2").roundUpToMilli().canonical()).toBe("2");
});

test("quantities are made from numbers", () => {
  expect(Quantity.of(3 * 2 ** 30, "BinarySI").canonical()).toBe("3Gi");
  expect(Quantity.ofMilli(1500).canonical()).toBe("1500m");
  expect(JSON.stringify({ cpu: Quantity.ofMilli(2000) })).toBe('{"cpu":"2"}');
  expect([Quantity.of(0).isZero, Quantity.of(-2).sign, Quantity.of(2).sign]).toEqual([true, -1, 1]);
});

test.each([
  ["1".repeat(1_000_000), "9223372036854775807"],
  [`0.${"1".repeat(1_000_000)}`, "111111112n"],
  [`1.${"0".repeat(1_000_000)}1Ei`, "1152921504606846976000000001n"],
  ["1e999999999", "9223372036854775807"],
  ["1e-999999999", "1e-9"],
])("hostile quantity %# costs little and is cut", (text, want) => {
  expect(parseQuantity(text).canonical()).toBe(want);
});

test("an exponent beyond the limits is rejected", () => {
  expect(() => parseQuantity("1e99999999999999999999")).toThrow(QuantityError);
});
