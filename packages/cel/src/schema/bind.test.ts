import { describe, expect, test } from "vitest";
import { Failure, isList, isMap, isTime, itemsOf, nanosOfDuration, type Outcome } from "../values/value.ts";
import { bind, bindAny } from "./bind.ts";
import { type DeclarableSchema, declare } from "./declaration.ts";

/** A value as JSON and plain types; whole numbers are bigint. */
function plain(outcome: Outcome | undefined): unknown {
  if (outcome === undefined) return "absent";
  if (outcome instanceof Failure) return outcome.message;
  if (isList(outcome)) return Array.from(itemsOf(outcome), plain);
  if (isMap(outcome)) return Object.fromEntries(outcome.keys().map((key) => [String(key), plain(outcome.get(key))]));
  const nanos = nanosOfDuration(outcome);
  if (nanos !== undefined) return `${nanos}ns`;
  if (isTime(outcome)) return `at ${(outcome.message as unknown as { readonly seconds: bigint }).seconds}`;
  return outcome instanceof Uint8Array ? Buffer.from(outcome).toString("hex") : outcome;
}

function bound(schema: DeclarableSchema, value: unknown): Outcome {
  const declaration = declare(schema, "t", false);
  if (declaration === undefined) throw new Error("expected a declaration");
  return bind(value, declaration);
}

const wrong = (expected: string, found: string) => `invalid data, expected ${expected} but found ${found}`;
const integer: DeclarableSchema = { type: "integer" };
const number: DeclarableSchema = { type: "number" };
const text: DeclarableSchema = { type: "string" };
const list: DeclarableSchema = { type: "array", items: integer };
const map: DeclarableSchema = { type: "object", additionalProperties: integer };
const object: DeclarableSchema = { type: "object", properties: { a: integer, "b.c": text, namespace: text } };
const format = (name: string): DeclarableSchema => ({ type: "string", format: name });
const either: DeclarableSchema = { "x-orchernetes-int-or-string": true };

test.each<readonly [string, DeclarableSchema, unknown, unknown]>([
  ["an integer", integer, 3, 3n],
  ["zero", integer, -0, 0n],
  ["an exact integer", integer, 9223372036854775807n, 9223372036854775807n],
  ["a fraction for an integer", integer, 1.5, "invalid data, expected an integer but found a fraction"],
  ["not a number for an integer", integer, Number.NaN, "invalid data, expected an integer but found a fraction"],
  ["infinity for an integer", integer, 1 / 0, "invalid data, expected an integer but found a fraction"],
  ["a text for an integer", integer, "3", wrong("an integer", "string")],
  ["an array for an integer", integer, [3], wrong("an integer", "array")],
  ["an object for an integer", integer, {}, wrong("an integer", "object")],
  ["a whole number", number, 3, 3],
  ["an exact number", number, 9007199254740993n, 9007199254740992],
  ["a fraction", number, -0.25, -0.25],
  ["a text for a number", number, "1", wrong("a number", "string")],
  ["a boolean", { type: "boolean" }, false, false],
  ["a number for a boolean", { type: "boolean" }, 0, wrong("a boolean", "number")],
  ["a text for a boolean", { type: "boolean" }, "true", wrong("a boolean", "string")],
  ["a text", text, "", ""],
  ["a number for a text", text, 1, wrong("a string", "number")],
  ["an array for a text", text, ["a"], wrong("a string", "array")],
  ["a text for a list", list, "abc", wrong("an array", "string")],
  ["an object for a list", list, { length: 1, 0: 1 }, wrong("an array", "object")],
  ["an array for a map", map, [], wrong("an object", "array")],
  ["a text for a map", map, "{}", wrong("an object", "string")],
  ["an array for an object", object, [1], wrong("an object", "array")],
  ["a number for an object", object, 1, wrong("an object", "number")],
  ["null", object, null, null],
  ["undefined", integer, undefined, null],
  [
    "items are read one by one",
    list,
    [1, "x", null, 2.5],
    [1n, wrong("an integer", "string"), null, "invalid data, expected an integer but found a fraction"],
  ],
  ["entries, too", map, { a: 1, b: "x", c: null }, { a: 1n, b: wrong("an integer", "string"), c: null }],
  [
    "fields under their escaped names",
    object,
    { a: 1, "b.c": "x", namespace: "n" },
    { a: 1n, b__dot__c: "x", __namespace__: "n" },
  ],
  ["fields that are not declared", object, { a: 1, z: 2 }, { a: 1n }],
  ["fields that are null", object, { a: null, "b.c": "x" }, { b__dot__c: "x" }],
  ["a field of another type", object, { a: "x" }, { a: wrong("an integer", "string") }],
  ["bytes", format("byte"), "AP8=", "00ff"],
  ["no bytes", format("byte"), "", ""],
  ["a number for bytes", format("byte"), 5, wrong("a string", "number")],
  ["a date", format("date"), "1970-01-02", "at 86400"],
  ["a time", format("date-time"), "1970-01-01T00:00:01Z", "at 1"],
  ["a time in a zone", format("date-time"), "1970-01-01T02:00:01+02:00", "at 1"],
  ["a date that is none", format("date"), "1970-02-31", 'invalid data, cannot parse timestamp "1970-02-31T00:00:00Z"'],
  ["a time that is none", format("date-time"), "now", 'invalid data, cannot parse timestamp "now"'],
  ["a duration", format("duration"), "1m30s", "90000000000ns"],
  ["a duration that is none", format("duration"), "soon", 'invalid data, cannot parse duration "soon"'],
  ["a number for a duration", format("duration"), 5, wrong("a string", "number")],
  ["an empty duration", format("duration"), "", 'invalid data, cannot parse duration ""'],
  ["either: an integer", either, 80, 80n],
  ["either: a text", either, "80%", "80%"],
])("%s", (_, schema, value, want) => {
  expect(plain(bound(schema, value))).toEqual(want);
});

// The units of the format of go-openapi/strfmt.
test.each([
  ["5 ns", 5n],
  ["5 nanoseconds", 5n],
  ["5us", 5_000n],
  ["5 µs", 5_000n],
  ["5 micros", 5_000n],
  ["5 ms", 5_000_000n],
  ["5 millis", 5_000_000n],
  ["5 sec", 5_000_000_000n],
  ["2 min", 120_000_000_000n],
  ["1 hr", 3_600_000_000_000n],
  ["1 hour", 3_600_000_000_000n],
  ["1d", 86_400_000_000_000n],
  ["2 days", 172_800_000_000_000n],
  ["1w", 604_800_000_000_000n],
  ["3 weeks", 1_814_400_000_000_000n],
  ["0 d", 0n],
])("duration %j", (value, nanos) => {
  expect(plain(bound(format("duration"), value))).toBe(`${nanos}ns`);
});

test.each(["1 parsec", "-", "999999999999999 w", "9999999999999999999999 d", "1e9 d"])("duration %j fails", (value) => {
  expect(plain(bound(format("duration"), value))).toMatch(/^invalid data, cannot parse duration "/);
});

describe("names that JavaScript knows", () => {
  const hostile = JSON.parse('{"__proto__":1,"constructor":2}') as unknown;

  test.each(["toString", "hasOwnProperty", "valueOf"])("%s is no entry of a map", (name) => {
    const found = bound(map, {});
    expect(isMap(found as never) && (found as { get(key: string): unknown }).get(name)).toBeUndefined();
  });

  test("they are entries if they are in the object", () => {
    const found = bound(map, hostile);
    if (found instanceof Failure || !isMap(found)) throw new Error("expected a map");
    expect([found.size, found.get("__proto__"), found.get("constructor")]).toEqual([2, 1n, 2n]);
  });

  test("declared fields are not inherited", () => {
    const found = bound({ type: "object", properties: { constructor: text, toString: text } }, { toString: "x" });
    expect(plain(found)).toEqual({ toString: "x" });
  });
});

describe("values of which nothing is known", () => {
  test.each<readonly [unknown, unknown]>([
    [1, 1n],
    [1.5, 1.5],
    [Number.MAX_SAFE_INTEGER, 9007199254740991n],
    [2 ** 53, 2 ** 53],
    [1e300, 1e300],
    [12345678901234567890n, 12345678901234567890n],
    ["x", "x"],
    [true, true],
    [null, null],
    [undefined, null],
    [() => 1, null],
    [
      [1, [2.5, null]],
      [1n, [2.5, null]],
    ],
    [
      { a: { b: [1] }, n: null, u: undefined },
      { a: { b: [1n] }, n: null },
    ],
  ])("%s", (value, want) => {
    expect(plain(bindAny(value))).toEqual(want);
  });
});

test("keys of other types than text are not in a map", () => {
  for (const schema of [map, object]) {
    const found = bound(schema, { 1: 1, a: 1, true: 1 });
    if (found instanceof Failure || !isMap(found)) throw new Error("expected a map");
    for (const key of [1n, 1, true, null]) expect(found.get(key)).toBeUndefined();
  }
});

test.each([63, 64, 65, 1000])("an object with %i members", (count) => {
  const members = Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, i]));
  const found = bound(map, { ...members, gone: undefined });
  if (found instanceof Failure || !isMap(found)) throw new Error("expected a map");
  expect([found.size, found.keys().length, found.get("k7"), found.get("gone")]).toEqual([count, count, 7n, undefined]);
});

test("large objects within one value are not mistaken for each other, nor are declared ones for maps", () => {
  const large = (offset: number) => Object.fromEntries(Array.from({ length: 70 }, (_, i) => [`k${i + offset}`, i]));
  const found = bound({ type: "array", items: map }, [large(0), large(1), large(0)]);
  if (found instanceof Failure || !isList(found)) throw new Error("expected a list");
  const first = Array.from(itemsOf(found), (one) => !(one instanceof Failure) && isMap(one) && one.keys()[0]);
  expect(first).toEqual(["k0", "k1", "k0"]);
});
