import * as fc from "fast-check";
import { expect, test } from "vitest";
import { compile } from "./compile.ts";
import { environment } from "./environment/environment.ts";
import { dynType } from "./language/types.ts";
import { bind, bindAny } from "./schema/bind.ts";
import { type DeclarableSchema, declare } from "./schema/declaration.ts";
import { Failure, isList, isMap, isOpaque, isTypeValue, itemsOf, type Outcome } from "./values/value.ts";

const names = ["self", "any", "x", "y", "size", "items", "labels", "constructor", "__proto__", "prototype", "toString"];
const methods = [
  "size",
  "contains",
  "matches",
  "split",
  "join",
  "isSorted",
  "sum",
  "min",
  "find",
  "findAll",
  "replace",
  "substring",
];
const binary = ["+", "-", "*", "/", "%", "==", "!=", "<", "<=", "&&", "||", "in"];
const macros = ["all", "exists", "exists_one", "filter", "map"];

/** Texts that look like expressions, most of which are. */
const { expression } = fc.letrec<{ expression: string }>((tie) => {
  const part = tie("expression");
  return {
    expression: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.constantFrom(
        "1",
        "2u",
        "0.5",
        "-7",
        "'a'",
        "'a+b'",
        "b'x'",
        "true",
        "null",
        "[]",
        "{}",
        "[1, 2, 3]",
        "['a', 'b']",
      ),
      fc.constantFrom(...names),
      fc.string({ maxLength: 8 }).map((text) => JSON.stringify(text)),
      fc.tuple(part, fc.constantFrom(...binary), part).map(([a, operator, b]) => `(${a} ${operator} ${b})`),
      fc.tuple(part, fc.constantFrom(...names)).map(([a, name]) => `${a}.${name}`),
      fc.tuple(part, fc.constantFrom(...names)).map(([a, name]) => `has(${a}.${name})`),
      fc.tuple(part, part).map(([a, b]) => `${a}[${b}]`),
      fc
        .tuple(part, fc.constantFrom(...methods), fc.array(part, { maxLength: 2 }))
        .map(([a, name, args]) => `${a}.${name}(${args.join(", ")})`),
      fc
        .tuple(fc.constantFrom("dyn", "string", "int", "size", "type", "url", "timestamp", "duration"), part)
        .map(([name, a]) => `${name}(${a})`),
      fc
        .tuple(part, fc.constantFrom(...macros), fc.constantFrom("x", "y"), part)
        .map(([a, name, variable, b]) => `${a}.${name}(${variable}, ${b})`),
      fc.tuple(part, part, part).map(([a, b, c]) => `(${a} ? ${b} : ${c})`),
      fc.array(part, { maxLength: 3 }).map((items) => `[${items.join(", ")}]`),
      fc.tuple(part, part).map(([a, b]) => `{${a}: ${b}}`),
    ),
  };
});

const schema: DeclarableSchema = {
  type: "object",
  properties: {
    size: { type: "integer" },
    items: { type: "array", items: { type: "string" } },
    labels: { type: "object", additionalProperties: { type: "string" } },
  },
};

const object = fc.record({
  size: fc.integer(),
  items: fc.array(fc.string({ maxLength: 20 }), { maxLength: 50 }),
  labels: fc.dictionary(fc.constantFrom(...names), fc.string({ maxLength: 5 })),
});

/** Everything that can be read from a value is a value of the language. */
function walk(outcome: Outcome, depth: number): void {
  if (outcome instanceof Failure || depth > 4) return;
  expect(typeof outcome).not.toBe("function");
  expect(outcome).not.toBe(Object.prototype);
  if (outcome === null || typeof outcome !== "object") return;
  if (isList(outcome)) for (const item of itemsOf(outcome)) walk(item, depth + 1);
  else if (isMap(outcome)) for (const key of outcome.keys()) walk(outcome.get(key) ?? null, depth + 1);
  else {
    const known = outcome instanceof Uint8Array || isOpaque(outcome) || isTypeValue(outcome);
    expect(known || "message" in outcome || "value" in outcome).toBe(true);
  }
}

test("10,000 random expressions end within their cost limit and reach nothing but values", { timeout: 120_000 }, () => {
  const self = declare(schema, "self", true);
  if (self === undefined) throw new Error("expected a declaration");
  const limit = 5_000;
  let evaluations = 0;
  const property = fc.property(expression, object, fc.boolean(), (source, value, typed) => {
    const variables = environment(
      typed ? { self: self.type, any: dynType } : { self: dynType, any: dynType, x: dynType, y: dynType },
    );
    const compiled = compile(source, variables, new Map([["self", self]]));
    if (typeof compiled === "string") return;
    evaluations++;
    const before = JSON.stringify(value);
    const bound = typed ? bind(value, self) : bindAny(value);
    const inputs = new Map([
      ["self", bound],
      ["any", bindAny(value)],
      ["x", bindAny(value.items)],
      ["y", bindAny(value.labels)],
    ]);
    const { outcome, cost, exceeded } = compiled.evaluate(inputs, limit);
    expect(exceeded || cost <= limit).toBe(true);
    walk(outcome, 0);
    expect(JSON.stringify(value)).toBe(before);
  });
  fc.assert(property, { numRuns: 10_000, seed: 27 });
  expect(evaluations).toBeGreaterThan(1_000);
});

test.each([
  "self.constructor",
  "self.__proto__",
  "self.items.constructor",
  "self['constructor']",
  "any.toString",
  "any['__proto__']",
])("%s reads no object of JavaScript", (source) => {
  const compiled = compile(source, environment({ self: dynType, any: dynType }));
  if (typeof compiled === "string") throw new Error(compiled);
  const value = bindAny({ items: [1] });
  const { outcome } = compiled.evaluate(
    new Map([
      ["self", value],
      ["any", value],
    ]),
    1_000,
  );
  expect(outcome).toBeInstanceOf(Failure);
});

test("a cost limit is reached in a short time", () => {
  const compiled = compile("any.map(x, any.map(y, x + y)).exists(z, z == any)", environment({ any: dynType }));
  if (typeof compiled === "string") throw new Error(compiled);
  const items = Array.from({ length: 10_000 }, (_, i) => `item ${i}`);
  expect(compiled.evaluate(new Map([["any", bindAny(items)]]), 1_000_000)).toMatchObject({ exceeded: true });
});
