import { type FieldError, field } from "@orchernetes/apimachinery";
import type { InterruptibleSteps } from "@orchernetes/kernel";
import { describe, expect, test } from "vitest";
import type { JsonSchema } from "../schema/json-schema.ts";
import { structuralOf } from "../schema/structural.ts";
import { definitionRuleErrors } from "./definition-rules.ts";
import { objectRuleErrors } from "./object-rules.ts";
import { ruleTree } from "./rule-tree.ts";

const text = (errors: readonly FieldError[]) => errors.map((error) => `${error.field}: ${error.message}`);

function allSteps<T>(steps: InterruptibleSteps<T>, interrupted = false): T {
  for (let i = 0; ; i++) {
    const step = steps.next(interrupted && i > 10);
    if (step.done === true) return step.value;
  }
}

/** A schema with one property, or with rules at its root. */
const of = (p: JsonSchema, ...rules: readonly string[]): JsonSchema => ({
  type: "object",
  properties: { p },
  ...(rules.length === 0 ? {} : { "x-orchernetes-validations": rules.map((rule) => ({ rule })) }),
});
const ruled = (schema: JsonSchema, rule: string, more: object = {}): JsonSchema => ({
  ...schema,
  "x-orchernetes-validations": [{ rule, ...more }],
});
const integer: JsonSchema = { type: "integer" };
const string: JsonSchema = { type: "string" };

function found(schema: JsonSchema, value: unknown, old?: unknown): readonly string[] {
  const tree = ruleTree(structuralOf(schema));
  if (tree === undefined) throw new Error("expected rules");
  return text(allSteps(objectRuleErrors(tree, { p: value }, old === undefined ? undefined : { p: old })));
}

describe("rules of objects", () => {
  const keyed = (rule: string): JsonSchema => ({
    type: "array",
    "x-orchernetes-list-type": "map",
    "x-orchernetes-list-map-keys": ["name"],
    items: ruled({ type: "object", properties: { name: string, n: integer } }, rule),
  });
  test.each<readonly [string, JsonSchema, unknown, unknown, readonly string[]]>([
    ["a rule that holds", ruled(integer, "self > 0"), 1, undefined, []],
    [
      "a rule that does not",
      ruled(integer, "self > 0"),
      0,
      undefined,
      ['p: Invalid value: "integer": failed rule: self > 0'],
    ],
    ["a message", ruled(integer, "self > 0", { message: " no " }), 0, undefined, ['p: Invalid value: "integer": no']],
    [
      "a message by an expression",
      ruled(integer, "self > 0", { messageExpression: "'found ' + string(self)" }),
      0,
      undefined,
      ['p: Invalid value: "integer": found 0'],
    ],
    [
      "an expression that makes no message",
      ruled(integer, "self > 0", { message: "no", messageExpression: "string(1 / self)" }),
      0,
      undefined,
      ['p: Invalid value: "integer": no'],
    ],
    [
      "a failing rule",
      ruled(integer, "1 / self > 0"),
      0,
      undefined,
      ['p: Invalid value: "integer": division by zero evaluating rule: 1 / self > 0'],
    ],
    [
      "a value of another type than the rule takes",
      ruled({ "x-orchernetes-int-or-string": true }, "self < 5"),
      "x",
      undefined,
      [
        "p: Invalid value: \"\": 'no such overload': call arguments did not match a supported operator, function or macro signature for rule: self < 5",
      ],
    ],
    ["null has no rules", ruled({ ...integer, nullable: true }, "self > 0"), null, undefined, []],
    ["an absent value has no rules", ruled(integer, "self > 0"), undefined, undefined, []],
    [
      "items and values of maps",
      { type: "array", items: { type: "object", additionalProperties: ruled(integer, "self > 0") } },
      [{ a: 1 }, { "b.c": 0 }],
      undefined,
      ['p[1][b.c]: Invalid value: "integer": failed rule: self > 0'],
    ],
    ["transitions of what was not there", ruled(integer, "self >= oldSelf"), 1, undefined, []],
    [
      "transitions",
      ruled(integer, "self >= oldSelf"),
      1,
      2,
      ['p: Invalid value: "integer": failed rule: self >= oldSelf'],
    ],
    [
      "transitions of items by their keys",
      keyed("self.n >= oldSelf.n"),
      [
        { name: "a", n: 1 },
        { name: "b", n: 1 },
        { name: "c", n: 1 },
      ],
      [
        { name: "b", n: 2 },
        { name: "a", n: 1 },
      ],
      ['p[1]: Invalid value: "object": failed rule: self.n >= oldSelf.n'],
    ],
  ])("%s", (_, schema, value, old, want) => {
    expect(found(of(schema), value, old)).toEqual(want);
  });

  test("rules at the root see the object's identity", () => {
    const tree = ruleTree(structuralOf(of(integer, "self.metadata.name.startsWith('a') && self.p > 0")));
    if (tree === undefined) throw new Error("expected rules");
    expect(allSteps(objectRuleErrors(tree, { metadata: { name: "ab" }, p: 1 }, undefined))).toEqual([]);
    expect(text(allSteps(objectRuleErrors(tree, { metadata: { name: "b" }, p: 1 }, undefined)))).toHaveLength(1);
  });

  test("a rule ends at the limit of one call, and no further rule is evaluated", () => {
    const schema: JsonSchema = { type: "array", items: string };
    const rules = ["self.p.all(x, self.p.all(y, x != y || true))", "false"];
    const items = Array.from({ length: 2_000 }, (_, i) => String(i));
    expect(found(of(schema, ...rules), items)).toEqual([
      expect.stringContaining("operation cancelled: actual cost limit exceeded"),
    ]);
  });
});

test("each rule is compiled in a step of its own, by the first object that needs it, and measured by place", () => {
  const rules = Array.from({ length: 50 }, (_, i) => `self.p > ${i}`);
  let measured = 0;
  const tree = ruleTree(structuralOf(of(ruled(integer, "self > 0"), ...rules)), { compiled: () => measured++ });
  if (tree === undefined) throw new Error("expected rules");
  const stepsOf = (object: object): number => {
    const steps = objectRuleErrors(tree, object, undefined);
    for (let count = 0; ; count++) if (steps.next(false).done === true) return count;
  };
  expect(measured).toBe(0);
  expect(stepsOf({})).toBeGreaterThanOrEqual(50);
  expect(measured).toBe(1);
  expect(stepsOf({ p: 60 })).toBeLessThan(10);
  expect(measured).toBe(2);
  expect(allSteps(objectRuleErrors(tree, { p: 20 }, undefined))).toHaveLength(30);
});

describe("rules that are interrupted", () => {
  const interrupted = (schema: JsonSchema, value: unknown, old?: unknown) => {
    const tree = ruleTree(structuralOf(of(schema)));
    if (tree === undefined) throw new Error("expected rules");
    return text(allSteps(objectRuleErrors(tree, { p: value }, { p: old }), true));
  };
  const items = Array.from({ length: 20_000 }, (_, i) => i);

  test("within an expression", () => {
    const rule = "self.all(x, self.all(y, x != y || true))";
    expect(interrupted(ruled({ type: "array", items: integer }, rule), items)).toEqual([
      `p: Invalid value: "array": operation interrupted evaluating rule: ${rule}`,
    ]);
  });

  test("between expressions", () => {
    const [error, ...more] = interrupted({ type: "array", items: ruled(integer, "self >= 0") }, items);
    expect([error, more]).toEqual([expect.stringContaining("operation interrupted"), []]);
  });

  test("while items are found by their keys", () => {
    const list: JsonSchema = {
      type: "array",
      "x-orchernetes-list-type": "map",
      "x-orchernetes-list-map-keys": ["n"],
      items: ruled({ type: "object", properties: { n: integer } }, "self.n >= oldSelf.n"),
    };
    const keyed = items.map((n) => ({ n }));
    expect(interrupted(list, keyed, keyed)).toEqual(['p: Invalid value: "array": operation interrupted']);
  });
});

describe("rules of definitions", () => {
  const errors = (schema: JsonSchema) => text(allSteps(definitionRuleErrors(schema, field("schema"))));
  const at = "schema.properties[p].x-orchernetes-validations[0]";
  const list: JsonSchema = { type: "array", items: string };

  test.each<readonly [string, JsonSchema, readonly string[]]>([
    ["valid ones", ruled(integer, "self > 0", { messageExpression: "'x'" }), []],
    [
      "a name that is not declared",
      ruled(integer, "foo > 0"),
      [
        `${at}.rule: Invalid value: apiextensions.ValidationRule{Rule:"foo > 0", Message:"", MessageExpression:""}: compilation failed: ` +
          "ERROR: <input>:1:1: undeclared reference to 'foo' (in container '')\n | foo > 0\n | ^",
      ],
    ],
    [
      "types that do not fit",
      ruled(integer, "self == 'a'"),
      [expect.stringContaining("found no matching overload for '_==_' applied to '(int, string)'")],
    ],
    ["no truth value", ruled(integer, "self + 1"), [expect.stringMatching(/cel expression must evaluate to a bool$/)]],
    [
      "a message that is no text",
      ruled(integer, "self > 0", { messageExpression: "self" }),
      [expect.stringMatching(/messageExpression: .*messageExpression must evaluate to a string$/)],
    ],
    [
      "transitions of items that can't be found",
      { ...list, maxItems: 9, items: ruled({ ...string, maxLength: 9 }, "self == oldSelf") },
      [
        'schema.properties[p].items.x-orchernetes-validations[0].rule: Invalid value: "self == oldSelf": ' +
          "oldSelf cannot be used on the uncorrelatable portion of the schema within schema.properties[p]",
      ],
    ],
    ["transitions of a property", ruled(string, "self == oldSelf"), []],
  ])("%s", (_, schema, want) => {
    expect(errors(of(schema))).toEqual(want);
  });

  test("a rule that may cost too much", () => {
    expect(errors(of(ruled(list, "self.all(x, self.all(y, x != y))")))).toEqual([
      expect.stringContaining(
        "Forbidden: estimated rule cost exceeds budget by factor of more than 100x (try simplifying",
      ),
      expect.stringContaining(
        "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema",
      ),
      expect.stringContaining(
        "schema: Forbidden: x-orchernetes-validations estimated rule cost total for entire OpenAPIv3 schema",
      ),
    ]);
  });

  test("limits on sizes make it cheap enough", () => {
    const bounded = { ...list, maxItems: 100, items: { ...string, maxLength: 20 } };
    expect(errors(of(ruled(bounded, "self.all(x, self.all(y, x != y))")))).toEqual([]);
  });
});
