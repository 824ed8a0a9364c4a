import { describe, expect, test } from "vitest";
import { prefixEnd } from "./keys.ts";
import { asRevision, parseRevision } from "./revision.ts";

describe("parseRevision", () => {
  test.each<[text: string, want: number | undefined]>([
    ["0", 0],
    ["1", 1],
    ["9007199254740991", 2 ** 53 - 1],
    ["9007199254740992", undefined],
    ["99999999999999999", undefined],
    ["", undefined],
    ["01", undefined],
    ["-1", undefined],
    ["+1", undefined],
    ["1.0", undefined],
    ["1e3", undefined],
    [" 1", undefined],
    ["0x1", undefined],
  ])("%j is %s", (text, want) => {
    expect(parseRevision(text)).toBe(want);
  });
});

describe("asRevision", () => {
  test.each([0, 1, 2 ** 53 - 1])("brands %d", (value) => {
    expect(asRevision(value)).toBe(value);
  });

  test.each([-1, 0.5, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY])("rejects %d", (value) => {
    expect(() => asRevision(value)).toThrow(`a revision must be an integer between 0 and 2^53-1, not ${value}`);
  });
});

describe("prefixEnd", () => {
  test.each<[prefix: string, want: string | undefined]>([
    ["", undefined],
    ["a", "b"],
    ["/registry/pods/", "/registry/pods0"],
    ["a~", "a\x7f"],
    ["a\x7f", "b"],
    ["\x7f\x7f", undefined],
  ])("of %j is %j", (prefix, want) => {
    expect(prefixEnd(prefix)).toBe(want);
  });
});
