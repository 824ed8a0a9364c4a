import { expect, test } from "vitest";
import { compile } from "../compile.ts";
import { environment } from "../environment/environment.ts";
import { type DeclarableSchema, declare } from "../schema/declaration.ts";

/** A schema with or without a limit on its size. */
type Kind = (most: number | undefined) => DeclarableSchema;

const limit = (name: "maxItems" | "maxLength" | "maxProperties", most: number | undefined) =>
  most === undefined ? {} : { [name]: most };
const of = (type: string): DeclarableSchema => {
  if (type === "int-or-string") return { "x-orchernetes-int-or-string": true };
  return ["byte", "date", "date-time", "duration"].includes(type) ? { type: "string", format: type } : { type };
};
const thing: DeclarableSchema = {
  type: "object",
  required: ["required"],
  properties: { required: { type: "string" }, optional: { type: "string" } },
};
const list =
  (items: DeclarableSchema): Kind =>
  (most) => ({ type: "array", items, ...limit("maxItems", most) });
const map =
  (additionalProperties: DeclarableSchema): Kind =>
  (most) => ({ type: "object", additionalProperties, ...limit("maxProperties", most) });
const text: Kind = (most) => ({ type: "string", ...limit("maxLength", most) });
const bytes: Kind = (most) => ({ ...of("byte"), ...limit("maxLength", most) });
const texts: Kind = (most) => ({ ...map(text(most))(most) });

/**
 * What Kubernetes 1.27 estimates for rules: which ones a definition may have depends on it. A row is about a schema without limits, and with
 * a limit.
 */
const rows: readonly (readonly [rule: string, kind: Kind, free: number, most: number, limited: number])[] = [
  ["self.all(x, true)", list(of("number")), 4_718_591, 10, 32],
  ["self.all(x, true)", list(of("string")), 3_145_727, 20, 62],
  ["self.all(x, true)", list(of("boolean")), 1_887_437, 5, 17],
  ["self.all(x, true)", list(list(of("number"))(undefined)), 3_145_727, 100, 302],
  ["self.all(x, true)", list(thing), 555_128, 50, 152],
  ["self.all(x, true)", list(of("int-or-string")), 4_718_591, 10, 32],
  ["self.all(x, true)", list(of("duration")), 2_359_295, 5, 17],
  ["self.all(x, true)", list(of("date")), 725_936, 15, 47],
  ["self.all(x, true)", list(of("date-time")), 428_963, 25, 77],
  ["self.all(x, true)", map(of("number")), 1_348_169, 10, 32],
  ["self.all(x, true)", map(of("string")), 1_179_647, 3, 11],
  ["self.all(x, true)", map(of("boolean")), 943_718, 100, 302],
  ["self.all(x, true)", map(thing), 428_963, 20, 62],
  ["has(self.x)", map(of("number")), 0, 100, 0],
  ["self.all(x, self.all(y, self.all(z, true)))", list(of("number")), Number.POSITIVE_INFINITY, 10, 3552],
  ["self.all(x, x == 0.0)", list(of("number")), 6_291_454, 6_291_456, 25_165_826],
  ["self.all(x, x.y == 25.2)", list(map(of("number"))(undefined)), 6_291_452, 12, 74],
  ["self.all(x, x.contains(self[x]))", texts, 2_752_507, 10, 72],
  ["self[1] == 0.0", list(of("number")), 2, 5000, 2],
  ["self[0] == false", list(of("boolean")), 2, 25, 2],
  ["self[0] == null", list(thing), 2, 422, 2],
  ["self[0] == 5", list(of("int-or-string")), 3, 10, 3],
  ["self[0].x > 2.0", list(map(of("number"))(undefined)), 4, 3000, 4],
  ["self[1] == self[1]", list(of("string")), 314_577, 8, 314_577],
  ["self['a'] == self['b']", map(of("date-time")), 8, 7, 8],
  ["self[0].getHours() == 2", list(of("duration")), 4, 525, 4],
  ["self.contains('test')", text, 314_574, 10, 5],
  ["self.startsWith('test')", text, 2, 15, 2],
  ["size(self + 'hello') > size('hello')", text, 314_578, 4, 7],
  ["self.matches('x')", text, 314_574, 50, 22],
  ["''.matches('(((((((((())))))))))[0-9]')", text, 7, 10, 7],
  ["self == 'x'", text, 2, 0, 1],
  ["self == b'x'", bytes, 2, 0, 1],
  ["self.lowerAscii() == 'lower!'", text, 314_575, 10, 6],
];

test.each(rows)("%s", (rule, kind, free, most, limited) => {
  const estimates = [undefined, most].map((size) => {
    const declaration = declare(kind(size), "self", false);
    if (declaration === undefined) throw new Error("expected a declaration");
    const compiled = compile(rule, environment({ self: declaration.type }), new Map([["self", declaration]]));
    if (typeof compiled === "string") throw new Error(compiled);
    return compiled.maxCost;
  });
  if (free === Number.POSITIVE_INFINITY) expect(estimates[0]).toBeGreaterThan(10_000_000);
  else expect(estimates[0]).toBe(free);
  expect(estimates[1]).toBe(limited);
});
