import { type FieldError, parseJsonText } from "@orchernetes/apimachinery";
import { expect, test } from "vitest";
import type { JsonSchema } from "../schema/json-schema.ts";
import { compileCheck } from "./value.ts";

function errorsIn(schema: JsonSchema, value: unknown, path = "spec"): readonly string[] {
  const errors: FieldError[] = [];
  compileCheck(schema)(value, path, errors);
  return errors.map((error) => `${error.field}: ${error.message}`);
}

const text = { type: "string" };
/** Divisible by 7. */
const largest = parseJsonText("9223372036854775807");
const cases: readonly (readonly [JsonSchema, unknown, readonly string[]])[] = [
  [text, "a", []],
  [text, 1, ['spec: Invalid value: "integer": spec in body must be of type string: "integer"']],
  [text, null, ['spec: Invalid value: "null": spec in body must be of type string: "null"']],
  [{ ...text, nullable: true }, null, []],
  [{ type: "integer" }, 1.5, ['spec: Invalid value: "number": spec in body must be of type integer: "number"']],
  [{ type: "number" }, 1, []],
  [{ type: "number" }, 1e300, []],
  [{ type: "integer" }, largest, []],
  [{ type: "number" }, largest, []],
  [text, largest, ['spec: Invalid value: "integer": spec in body must be of type string: "integer"']],
  [{ type: "integer" }, 2 ** 63, ['spec: Invalid value: "number": spec in body must be of type integer: "number"']],
  [{ maximum: 10 }, largest, [expect.stringContaining("should be less than or equal to 10")]],
  [{ multipleOf: 7 }, largest, []],
  [{ multipleOf: 2 }, largest, [expect.stringContaining("should be a multiple of 2")]],
  [{ enum: [largest] }, largest, []],
  [{ type: "boolean" }, [], ['spec: Invalid value: "array": spec in body must be of type boolean: "array"']],
  [{ "x-orchernetes-int-or-string": true }, 5, []],
  [
    { "x-orchernetes-int-or-string": true },
    {},
    ['spec: Invalid value: "object": spec in body must be of type integer,string: "object"'],
  ],
  [
    { type: "integer", minimum: 1, exclusiveMinimum: true },
    1,
    ["spec: Invalid value: 1: spec in body should be greater than 1"],
  ],
  [{ type: "integer", maximum: 1 }, 2, ["spec: Invalid value: 2: spec in body should be less than or equal to 1"]],
  [
    { type: "integer", maximum: 2, exclusiveMaximum: true },
    2,
    ["spec: Invalid value: 2: spec in body should be less than 2"],
  ],
  [{ type: "integer", multipleOf: 3 }, 4, ["spec: Invalid value: 4: spec in body should be a multiple of 3"]],
  [{ ...text, maxLength: 2 }, "abc", ["spec: Too long: may not be longer than 2"]],
  [{ type: "array", maxItems: 1 }, [1, 2], ["spec: Too many: 2: must have at most 1 items"]],
  [{ ...text, minLength: 2 }, "a", ['spec: Invalid value: "a": spec in body should be at least 2 chars long']],
  [{ ...text, maxLength: 2 }, "😀😀", []],
  [{ ...text, pattern: "^a+$" }, "b", ["spec: Invalid value: \"b\": spec in body should match '^a+$'"]],
  [
    { ...text, format: "date" },
    "2026-02-30",
    ['spec: Invalid value: "2026-02-30": spec in body must be of type date: "2026-02-30"'],
  ],
  [{ ...text, format: "nobody-knows" }, "x", []],
  [{ ...text, enum: ["a", "b"] }, "c", ['spec: Unsupported value: "c": supported values: "a", "b"']],
  [{ type: "object", enum: [{ a: 1, b: 2 }] }, { b: 2, a: 1 }, []],
  [
    { type: "array", items: text },
    ["a", 1],
    ['spec[1]: Invalid value: "integer": spec[1] in body must be of type string: "integer"'],
  ],
  [{ type: "array", minItems: 1 }, [], ["spec: Invalid value: 0: spec in body should have at least 1 items"]],
  [
    { type: "object", minProperties: 1 },
    {},
    ["spec: Invalid value: 0: spec in body should have at least 1 properties"],
  ],
  [{ type: "object", maxProperties: 0 }, { a: 1 }, ["spec: Too many: 1: must have at most 0 items"]],
  [
    { type: "object", required: ["a", "constructor"] },
    {},
    ["spec.a: Required value", "spec.constructor: Required value"],
  ],
  [
    { type: "object", additionalProperties: { type: "integer" } },
    { a: "x" },
    ['spec.a: Invalid value: "string": spec.a in body must be of type integer: "string"'],
  ],
  [{ anyOf: [{ minimum: 5 }, { maximum: 1 }] }, 7, []],
  [
    { anyOf: [{ minimum: 5 }, { maximum: 1 }] },
    3,
    [
      '<nil>: Invalid value: "": "spec" must validate at least one schema (anyOf)',
      "spec: Invalid value: 3: spec in body should be greater than or equal to 5",
    ],
  ],
  [
    { oneOf: [{ minimum: 1 }, { minimum: 2 }] },
    3,
    ['<nil>: Invalid value: "": "spec" must validate one and only one schema (oneOf). Found 2 valid alternatives'],
  ],
  [
    { oneOf: [{ required: ["a"] }] },
    {},
    [
      '<nil>: Invalid value: "": "spec" must validate one and only one schema (oneOf). Found none valid',
      "spec.a: Required value",
    ],
  ],
  [
    { allOf: [{ minimum: 1 }, { maximum: 0 }] },
    2,
    [
      "spec: Invalid value: 2: spec in body should be less than or equal to 0",
      '<nil>: Invalid value: "": "spec" must validate all the schemas (allOf)',
    ],
  ],
  [{ not: { minimum: 1 } }, 2, ['<nil>: Invalid value: "": "spec" must not validate the schema (not)']],
];

test.each(cases)("%j says of %j: %j", (schema, value, want) => {
  expect(errorsIn(schema, value)).toEqual(want);
});

test("an invalid pattern matches nothing", () => {
  expect(errorsIn({ ...text, pattern: "(" }, "(")).toEqual([
    "spec: Invalid value: \"(\": spec in body should match '('",
  ]);
});

test("the root has no name", () => {
  expect(errorsIn({ type: "object", required: ["spec"] }, {}, "")).toEqual(["spec: Required value"]);
});

test("a pattern of exponential backtracking is matched in linear time", () => {
  expect(errorsIn({ ...text, pattern: "^(a+)+$" }, `${"a".repeat(5000)}b`)).toHaveLength(1);
});
