import { expect, test } from "vitest";
import { isCIdentifier } from "./identifiers.ts";
import { isValidGroupId, isValidPortName, isValidPortNum, isValidUserId } from "./ports.ts";

test.each([
  [1, true],
  [65_535, true],
  [0, false],
  [65_536, false],
  [-1, false],
  [80.5, false],
  [Number.NaN, false],
  [Number.POSITIVE_INFINITY, false],
])("whether %d is a port: %s", (port, isValid) => {
  expect(isValidPortNum(port)).toEqual(isValid ? [] : ["must be between 1 and 65535, inclusive"]);
});

test.each([
  [0, true],
  [2_147_483_647, true],
  [2_147_483_648, false],
  [-1, false],
  [0.5, false],
])("whether %d is a user or group: %s", (id, isValid) => {
  const want = isValid ? [] : ["must be between 0 and 2147483647, inclusive"];
  expect([isValidUserId(id), isValidGroupId(id)]).toEqual([want, want]);
});

const tooLong = "must be no more than 15 characters";
const characters = "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)";
const oneLetter = "must contain at least one letter or number (a-z, 0-9)";
const doubled = "must not contain consecutive hyphens";
const atTheEnds = "must not begin or end with a hyphen";

test.each<[string, readonly string[]]>([
  ["a".repeat(15), []],
  ["0a0", []],
  ["", [characters, oneLetter]],
  ["8080", [oneLetter]],
  ["a".repeat(16), [tooLong]],
  ["-", [oneLetter, atTheEnds]],
  ["a--b", [doubled]],
  ["HTTP--1-of-the-many-", [tooLong, characters, doubled, atTheEnds]],
  // The limit counts bytes: eight letters of two bytes each.
  ["é".repeat(8), [tooLong, characters, oneLetter]],
])("the name of a port %j has the errors %j", (name, want) => {
  expect(isValidPortName(name)).toEqual(want);
});

test.each([
  ["_", true],
  ["MY_name1", true],
  ["", false],
  ["1a", false],
  ["a-b", false],
  ["ä", false],
  ["a\n", false],
])("whether %j is an identifier in C: %s", (text, isValid) => {
  expect(isCIdentifier(text).length === 0).toBe(isValid);
});
