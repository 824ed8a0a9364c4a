import { describe, expect, test } from "vitest";
import { type CompiledExpression, compile, costLimits } from "./compile.ts";
import { environment } from "./environment/environment.ts";
import { bind } from "./schema/bind.ts";
import { type DeclarableSchema, declare } from "./schema/declaration.ts";
import { Failure, isList, isMap, itemsOf, type Outcome } from "./values/value.ts";

const text: DeclarableSchema = { type: "string" };
const schema: DeclarableSchema = {
  type: "object",
  properties: {
    size: { type: "integer" },
    share: { type: "number" },
    name: { type: "string", maxLength: 20 },
    "a.b": { type: "integer" },
    "x-y": text,
    namespace: text,
    port: { "x-orchernetes-int-or-string": true },
    items: { type: "array", maxItems: 100, items: { type: "string", maxLength: 10 } },
    unbounded: { type: "array", items: text },
    tags: { type: "array", items: text, "x-orchernetes-list-type": "set" },
    parts: {
      type: "array",
      "x-orchernetes-list-type": "map",
      "x-orchernetes-list-map-keys": ["name"],
      items: { type: "object", properties: { name: text, value: { type: "integer" } } },
    },
    labels: { type: "object", additionalProperties: text },
    at: { type: "string", format: "date-time" },
    day: { type: "string", format: "date" },
    wait: { type: "string", format: "duration" },
    days: { type: "string", format: "duration" },
    weeks: { type: "string", format: "duration" },
    data: { type: "string", format: "byte" },
    anything: { type: "object" },
    maybe: { type: "object", properties: { a: { type: "integer" } } },
  },
};

const self = declare(schema, "selfType", true);
if (self === undefined) throw new Error("expected a declaration");

const compiled = (source: string): CompiledExpression | string =>
  compile(source, environment({ self: self.type, oldSelf: self.type }), new Map([["self", self]]));

function plainOf(outcome: Outcome): unknown {
  if (outcome instanceof Failure) return `failed: ${outcome.message}`;
  if (isList(outcome)) return [...itemsOf(outcome)].map(plainOf);
  if (isMap(outcome))
    return Object.fromEntries(outcome.keys().map((key) => [String(key), plainOf(outcome.get(key) ?? null)]));
  return outcome;
}

function evaluated(source: string, object: unknown, old: unknown = object): unknown {
  const expression = compiled(source);
  if (typeof expression === "string") return expression;
  const variables = new Map([
    ["self", bind(object, self ?? never())],
    ["oldSelf", bind(old, self ?? never())],
  ]);
  return plainOf(expression.evaluate(variables, costLimits.call).outcome);
}

const never = () => {
  throw new Error("unreachable");
};

const object = {
  apiVersion: "example.com/v1",
  kind: "Thing",
  metadata: { name: "one" },
  size: 3,
  share: 2,
  name: "näme",
  "a.b": 1,
  "x-y": "dash",
  namespace: "ns",
  port: "80%",
  items: ["b", "a", "c"],
  tags: ["x", "y"],
  parts: [
    { name: "p", value: 1 },
    { name: "q", value: 2 },
  ],
  labels: { app: "web", constructor: "c" },
  at: "2023-01-02T03:04:05Z",
  day: "2023-01-02",
  wait: "90s",
  days: "3 days",
  weeks: "2w",
  data: "aGk=",
  maybe: null,
};

describe("evaluation", () => {
  test.each<readonly [string, unknown]>([
    ["self.size + 1", 4n],
    ["self.share / 4.0", 0.5],
    ["size(self.name)", 4n],
    ["self.a__dot__b == 1 && self.x__dash__y == 'dash' && self.__namespace__ == 'ns'", true],
    ["type(self.port) == string && self.port.endsWith('%')", true],
    ["self.metadata.name", "one"],
    ["self.items.map(x, x + '!')", ["b!", "a!", "c!"]],
    ["self.items.filter(x, x > 'a').join('-')", "b-c"],
    ["self.items.isSorted()", false],
    ["[3, 1, 2].min() + [3, 1, 2].max() + [1, 2].sum()", 7n],
    ["[1, 2, 1].indexOf(1) + [1, 2, 1].lastIndexOf(1) + [1].indexOf(4)", 1n],
    ["[].min()", "failed: min called on empty list"],
    ["self.tags == ['y', 'x']", true],
    ["['y', 'x'] == self.tags", false],
    ["(self.tags + ['z', 'x']).size()", 3n],
    ["self.parts.all(p, self.parts.exists_one(q, q.name == p.name))", true],
    ["self.labels.all(k, self.labels[k] != '')", true],
    ["'app' in self.labels && !('__proto__' in self.labels)", true],
    ["self.labels.constructor", "c"],
    ["has(self.labels.toString) || has(self.unbounded)", false],
    ["self.at.getFullYear() + self.day.getDayOfMonth()", 2024n],
    ["self.wait > duration('1m')", true],
    ["self.at + self.wait > timestamp('2023-01-02T00:00:00Z')", true],
    ["string(self.data)", "hi"],
    ["self.maybe == null", "failed: no such key: maybe"],
    ["has(self.maybe)", false],
    ["self.unbounded", "failed: no such key: unbounded"],
    ["self.items[7]", "failed: index out of bounds: 7"],
    ["1 / (self.size - 3)", "failed: division by zero"],
    ["9223372036854775807 + self.size", "failed: integer overflow"],
    ["self.items[7] == 'x' || true", true],
    ["false && self.items[7] == 'x'", false],
    ["'abc 123 def 45'.find('[0-9]+') + ' ' + 'abc 123 def 45'.findAll('[0-9]+').join(',')", "123 123,45"],
    ["'a1b2'.findAll('[0-9]', 1)", ["1"]],
    ["'aaaa'.matches('^(a+)+$')", true],
    ["url('https://u@example.com:80/a b?x=1&x=2&y=3').getHost()", "example.com:80"],
    ["url('https://example.com:80/a b').getEscapedPath()", "/a%20b"],
    ["url('https://[::1]:80/').getHostname() + url('https://[::1]:80/').getPort()", "::180"],
    ["url('https://example.com/?x=1&x=2').getQuery()", { x: ["1", "2"] }],
    ["isURL('https://example.com') && isURL('/path') && !isURL('example.com') && !isURL('')", true],
    ["'a,b,c'.split(',', 2)", ["a", "b,c"]],
    ["'tacocat'.substring(0, 4).upperAscii() + ' x '.trim()", "TACOx"],
    ["'a'.replace('a', 'bb').charAt(1)", "b"],
    ["self.days == duration('72h') && self.weeks == duration('336h')", true],
    ["int('x')", "program instantiation failed: type conversion error from 'string' to 'int'"],
    ["dyn('x') < 1", "failed: no such overload"],
    ["{'a': [1], 'b': []}", { a: [1n], b: [] }],
    ["[1, 2, 3].exists(x, x > 2) ? 'some' : 'none'", "some"],
  ])("%s", (source, expected) => {
    expect(evaluated(source, object)).toEqual(expected);
  });

  test("maps by keys are equal whatever their order", () => {
    const other = { ...object, parts: [...object.parts].reverse() };
    expect(evaluated("self.parts == oldSelf.parts", object, other)).toBe(true);
    expect(evaluated("self == oldSelf", object, other)).toBe(true);
  });
});

describe("what is wrong with an expression", () => {
  test.each<readonly [string, string]>([
    ["foo", "1:1: undeclared reference to 'foo' (in container '')"],
    ["self.foo", "1:5: undefined field 'foo'"],
    ["self.size == 'x'", "1:11: found no matching overload for '_==_' applied to '(int, string)'"],
    ["self.name.isSorted()", "1:19: found no matching overload for 'isSorted' applied to 'string.()'"],
    [
      "self.size.all(x, true)",
      "1:5: expression of type 'int' cannot be range of a comprehension (must be list, map, or dynamic)",
    ],
    ["[1, 'a']", "1:5: expected type 'int' but found 'string'"],
    ["bar(1)", "1:4: undeclared reference to 'bar' (in container '')"],
    ["self.anything.x", "1:14: undefined field 'x'"],
    ["self.size.x", "1:10: type 'int' does not support field selection"],
    ["self.size +", "1:11: Syntax error: found + but expecting end of input"],
    ["self.constructor", "1:5: undefined field 'constructor'"],
    ["Foo{}", "1:4: undeclared reference to 'Foo' (in container '')"],
    [`${"(".repeat(260)}1${")".repeat(260)}`, "1:1: expression recursion limit exceeded: 250"],
  ])("%s", (source, expected) => {
    const found = compiled(source);
    expect(typeof found === "string" ? found.split("\n")[0] : found).toBe(`ERROR: <input>:${expected}`);
  });

  test("the message marks the place of the error", () => {
    expect(compiled("self.size ==\n  foo")).toBe(
      "ERROR: <input>:2:3: undeclared reference to 'foo' (in container '')\n |   foo\n | ..^",
    );
  });
});

describe("costs", () => {
  // Worked out by the original's rules: 1 for a variable or field, 10 for a list, a tenth of a character.
  test.each<readonly [string, number]>([
    ["self.size > 1", 3],
    ["has(self.size)", 0],
    ["self.name == 'abcdefghijklmnopqrstuvwxyz'", 5],
    ["self.items.all(x, x == 'a')", 2 + 100 * 5 + 1],
    ["[1, 2].exists(x, x == 1)", 10 + 2 * 6 + 1],
    ["self.name.startsWith('abc')", 3],
    ["self.name.contains('abc')", 10],
    ["true ? self.size : self.items[0].size()", 4],
    ["self.name.matches('^abc$')", 2 + 9 * 2],
    ["self.name + self.name", 4 + 16],
  ])("%s is estimated at %i", (source, cost) => {
    const found = compiled(source);
    expect(typeof found === "string" ? found : found.maxCost).toBe(cost);
  });

  test("a loop over what is not bounded is estimated by what a request can hold", () => {
    const found = compiled("self.unbounded.all(x, self.unbounded.all(y, x == y))");
    expect(typeof found === "string" ? found : found.maxCost).toBeGreaterThan(costLimits.schema);
  });

  test.each<readonly [string, number]>([
    ["self.size > 1", 3],
    ["self.items.all(x, x != 'z')", 2 + 3 * 5 + 1],
    ["self.items.map(x, x)", 2 + 10 + 3 * 13 + 1],
    ["false && self.size > 1", 0],
  ])("%s costs %i", (source, cost) => {
    const found = compiled(source);
    if (typeof found === "string") throw new Error(found);
    expect(found.evaluate(new Map([["self", bind(object, self ?? never())]]), costLimits.call).cost).toBe(cost);
  });

  test("an evaluation ends when its cost is above the limit", () => {
    const found = compiled("self.items.all(x, self.items.all(y, true)) || true");
    if (typeof found === "string") throw new Error(found);
    const evaluation = found.evaluate(new Map([["self", bind(object, self ?? never())]]), 20);
    expect(evaluation).toMatchObject({
      exceeded: true,
      outcome: { message: "operation cancelled: actual cost limit exceeded" },
    });
  });
});
