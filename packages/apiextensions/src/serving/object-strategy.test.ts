import type { StrategyContext } from "@orchernetes/apimachinery";
import { atOnce } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import { ruleTree } from "../rules/rule-tree.ts";
import type { JsonSchema } from "../schema/json-schema.ts";
import { structuralOf } from "../schema/structural.ts";
import { compileCheck } from "../validation/value.ts";
import { type ObjectRules, objectStrategy } from "./object-strategy.ts";

const schema: JsonSchema = {
  type: "object",
  required: ["size"],
  properties: {
    size: { type: "integer", minimum: 1 },
    name: { type: "string", maxLength: 3 },
    wait: { type: "string", format: "duration" },
    items: { type: "array", maxItems: 1, items: { type: "integer" } },
    color: { type: "string", enum: ["red"] },
  },
  "x-orchernetes-validations": [{ rule: "self.size < 10", message: "too large" }],
};
const rules = {
  check: () => compileCheck(schema),
  structural: () => structuralOf(schema),
  expressions: () => ruleTree(structuralOf(schema)),
} as unknown as ObjectRules;

test.each<[string, object, readonly string[]]>([
  ["an error of a rule", { size: 10 }, ["<nil>"]],
  ["another type", { size: "10" }, ["size", "not checked"]],
  ["another format", { size: 10, wait: "soon" }, ["wait", "not checked"]],
  ["a missing value", {}, ["size", "not checked"]],
  ["a long text", { size: 10, name: "four" }, ["name", "not checked"]],
  ["a long list", { size: 10, items: [1, 2] }, ["items", "not checked"]],
  ["a number that is too small", { size: 0 }, ["size"]],
  ["another color", { size: 10, color: "blue" }, ["color", "<nil>"]],
])("%s: rules are not evaluated after errors that they may stumble over", (_name, object, want) => {
  const { validate, validateLong } = objectStrategy(rules);
  const written = { metadata: { name: "a" }, ...object } as never;
  const context = {} as StrategyContext;
  const found = validate?.(written, context) ?? [];
  const steps = validateLong?.(written, undefined, found, context);
  const errors = [...found, ...(steps === undefined ? [] : atOnce(steps))];
  const unchecked = "some validation rules were not checked because the object was invalid";
  expect(errors.map(({ field, message }) => (message.includes(unchecked) ? "not checked" : field))).toEqual(want);
});
