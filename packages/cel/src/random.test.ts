import { atOnce } from "@orchernetes/kernel";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { admissionEnvironment } from "./admission/admission-expression.ts";
import { type Authorize, authorizerValue, requestResourceValue } from "./admission/authorizer.ts";
import { requestDeclaration } from "./admission/request-declaration.ts";
import { compile } from "./compile.ts";
import { environment } from "./environment/environment.ts";
import { dynType } from "./language/types.ts";
import type { Evaluation } from "./runtime/program.ts";
import { bind, bindAny } from "./schema/bind.ts";
import { type DeclarableSchema, declare } from "./schema/declaration.ts";
import { Failure, isList, isMap, isOpaque, isTypeValue, itemsOf, type Outcome } from "./values/value.ts";

/** What every object of JavaScript has; to expressions these are names like all others. */
const inherited = ["constructor", "__proto__", "prototype", "toString", "hasOwnProperty", "valueOf"];
const ruleNames = ["self", "any", "x", "y", "size", "items", "labels", ...inherited];
const admissionNames = [
  ...["object", "oldObject", "request", "params", "authorizer", "authorizer.requestResource", "variables"],
  ...["x", "y", "items", "labels", "userInfo", "groups", "extra", "options", "name", "requestResource", ...inherited],
];
const ruleMethods = [
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
const admissionMethods = [
  ...["path", "group", "serviceAccount", "resource", "subresource", "namespace", "name", "check", "allowed", "reason"],
  ...["size", "contains", "split", "join", ...inherited],
];
const binary = ["+", "-", "*", "/", "%", "==", "!=", "<", "<=", "&&", "||", "in"];
const macros = ["all", "exists", "exists_one", "filter", "map"];

/** Texts that look like expressions, most of which are. */
const expressionsOver = (
  names: readonly string[],
  methods: readonly string[],
  ...known: readonly string[]
): fc.Arbitrary<string> =>
  fc.letrec<{ expression: string }>((tie) => {
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
        ...(known.length === 0 ? [] : [fc.constantFrom(...known)]),
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
  }).expression;

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
  labels: fc.dictionary(fc.constantFrom(...ruleNames), fc.string({ maxLength: 5 })),
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

const limit = 5_000;

/** What can be compared of an evaluation; an evaluation that is stopped has no exact cost. */
const shown = ({ outcome, cost, exceeded }: Evaluation): object => ({
  outcome: outcome instanceof Failure ? outcome.message : typeof outcome === "object" ? "values" : outcome,
  cost: exceeded ? limit : cost,
  exceeded,
});

test("10,000 random rules end within their cost limit and reach nothing but values", { timeout: 120_000 }, () => {
  const self = declare(schema, "self", true);
  if (self === undefined) throw new Error("expected a declaration");
  let evaluations = 0;
  const expression = expressionsOver(ruleNames, ruleMethods);
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
    const evaluation = compiled.evaluate(inputs, limit);
    const { outcome, cost, exceeded } = evaluation;
    expect(exceeded || cost <= limit).toBe(true);
    const stepped = atOnce(compiled.evaluateInSteps(inputs, limit));
    expect([shown(stepped), source]).toEqual([shown(evaluation), source]);
    walk(outcome, 0);
    expect(JSON.stringify(value)).toBe(before);
  });
  fc.assert(property, { numRuns: 10_000, seed: 27 });
  expect(evaluations).toBeGreaterThan(1_000);
});

const user = fc.record({
  username: fc.string({ maxLength: 8 }),
  groups: fc.array(fc.constantFrom(...inherited), { maxLength: 3 }),
  // As from JSON, where __proto__ is a key like others.
  extra: fc.constantFrom('{"__proto__": ["a"]}', '{"constructor": ["b"], "c": []}').map((text) => JSON.parse(text)),
});

test("10,000 random expressions of admission end within their cost limit and reach nothing but values", {
  timeout: 120_000,
}, () => {
  let [evaluations, asked] = [0, 0];
  const authorize: Authorize = ({ verb }) => {
    asked++;
    return verb === "" ? new Failure("no decision") : { allowed: verb === "a", reason: verb };
  };
  const access = { group: "", resource: "pods", subresource: "", namespace: "ns", name: "p" };
  const composed = new Map([["x", dynType]]);
  const scope = admissionEnvironment({ params: dynType, authorizer: true, composed });
  const expression = expressionsOver(
    admissionNames,
    admissionMethods,
    "authorizer.path('/a').check('a')",
    "authorizer.group('').resource('pods').check('get')",
    "authorizer.serviceAccount('a', 'b')",
    "authorizer.requestResource.check('a').reason()",
    "dyn(authorizer)",
    "dyn(request)",
  );
  const property = fc.property(expression, object, object, user, (source, value, params, userInfo) => {
    const compiled = compile(source, scope);
    if (typeof compiled === "string") return;
    evaluations++;
    const request = { kind: { group: "", version: "v1", kind: "Pod" }, userInfo, options: params, name: "x" };
    const before = JSON.stringify([value, params, request]);
    const inputs = new Map<string, Outcome>([
      ["object", bindAny(value)],
      ["oldObject", null],
      ["params", bindAny(params)],
      ["request", bind(request, requestDeclaration)],
      ["variables", bindAny({ x: value })],
      ["authorizer", authorizerValue(authorize)],
      ["authorizer.requestResource", requestResourceValue(authorize, access)],
    ]);
    for (const most of [limit, 1_000_000]) {
      const [already, start] = [asked, performance.now()];
      const { outcome, cost, exceeded } = compiled.evaluate(inputs, most);
      expect(exceeded || cost <= most).toBe(true);
      expect(asked - already).toBeLessThanOrEqual(most === limit ? 0 : 2);
      expect(performance.now() - start).toBeLessThan(5_000);
      walk(outcome, 0);
    }
    expect(JSON.stringify([value, params, request])).toBe(before);
  });
  fc.assert(property, { numRuns: 10_000, seed: 27 });
  expect(evaluations).toBeGreaterThan(1_000);
  expect(asked).toBeGreaterThan(100);
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

test.each([
  "dyn(authorizer).constructor",
  "dyn(authorizer)['__proto__']",
  "dyn(authorizer.requestResource).access",
  "dyn(authorizer.path('/a').check('get')).allowed",
  "dyn(request).constructor",
  "dyn(request)['__proto__']",
  "dyn(request.userInfo).hasOwnProperty",
  "request.userInfo.extra.__proto__",
  "request.options.constructor",
  "params.__proto__",
  "params['constructor']",
  "dyn(variables).constructor",
])("%s reads no object of JavaScript", (source) => {
  const scope = admissionEnvironment({ params: dynType, authorizer: true, composed: new Map([["x", dynType]]) });
  const compiled = compile(source, scope);
  if (typeof compiled === "string") throw new Error(compiled);
  const authorize = () => ({ allowed: true, reason: "" });
  const access = { group: "", resource: "pods", subresource: "", namespace: "", name: "" };
  const request = { userInfo: { username: "a", extra: {} }, options: {} };
  const { outcome } = compiled.evaluate(
    new Map<string, Outcome>([
      ["params", bindAny({ a: 1 })],
      ["request", bind(request, requestDeclaration)],
      ["variables", bindAny({ x: 1 })],
      ["authorizer", authorizerValue(authorize)],
      ["authorizer.requestResource", requestResourceValue(authorize, access)],
    ]),
    1_000_000,
  );
  expect(outcome).toBeInstanceOf(Failure);
});

test("a cost limit is reached in a short time", () => {
  const compiled = compile("any.map(x, any.map(y, x + y)).exists(z, z == any)", environment({ any: dynType }));
  if (typeof compiled === "string") throw new Error(compiled);
  const items = Array.from({ length: 10_000 }, (_, i) => `item ${i}`);
  expect(compiled.evaluate(new Map([["any", bindAny(items)]]), 1_000_000)).toMatchObject({ exceeded: true });
});
