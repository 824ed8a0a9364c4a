import { expect, test } from "vitest";
import { ObjectMeta } from "../resource/object-meta.ts";
import * as s from "../schema/index.ts";
import { DecodeError } from "./decode-error.ts";
import { canonicalize, decoderFor, encodeJson } from "./decoder.ts";
import { parseJson } from "./json.ts";

const pkg = "example/v1";
const Inner = s.message(pkg, "Inner", () => ({
  name: s.required(1, s.string),
  count: s.optional(2, s.int32),
  limit: s.pointer(3, s.int64),
}));
const Status = s.message(pkg, "ThingStatus", () => ({ ready: s.optional(1, s.bool), at: s.value(2, s.time) }));
const Tree: s.MessageSchema = s.message(pkg, "Tree", () => ({ children: s.optional(1, s.mapOf<unknown>(Tree)) }));
const Thing = s.object(pkg, "Thing", () => ({
  metadata: s.value(1, ObjectMeta),
  text: s.optional(2, s.string),
  flag: s.optional(3, s.bool),
  on: s.pointer(4, s.bool),
  names: s.optional(5, s.list(s.string)),
  kept: s.pointer(6, s.list(s.string)),
  inner: s.pointer(7, Inner),
  inners: s.required(8, s.list(Inner)),
  rules: s.required(9, s.list(s.string), { pointer: true }),
  labels: s.optional(10, s.mapOf(s.string)),
  limits: s.optional(11, s.mapOf(s.quantity)),
  when: s.optional(12, s.time),
  precise: s.optional(13, s.microTime),
  wait: s.optional(14, s.duration),
  data: s.optional(15, s.mapOf(s.bytes)),
  port: s.optional(16, s.intOrString),
  ratio: s.optional(17, s.double),
  unsigned: s.optional(18, s.uint32),
  raw: s.optional(19, s.raw),
  any: s.optional(20, s.json),
  tree: s.pointer(21, Tree),
  status: s.value(22, Status),
}));
const always = {
  metadata: { creationTimestamp: null },
  inners: [],
  rules: null,
  status: { at: null },
};
const decode = (input: unknown) => decoderFor<unknown>(Thing).decode(input);

test.each<[string, unknown, unknown]>([
  ["nothing", {}, {}],
  ["empty optionals go", { text: "", flag: false, names: [], labels: {}, ratio: 0, port: 0, unsigned: 0 }, {}],
  ["empty lists that may be null are null", { rules: [] }, { rules: null }],
  ["empty pointers stay", { on: false, kept: [] }, { on: false, kept: [] }],
  ["nulls go", { text: null, on: null, inner: null, inners: null, status: null, labels: null }, {}],
  ["structs have their always-written fields", { inner: {} }, { inner: { name: "" } }],
  ["zero pointers in structs stay", { inner: { limit: 0, count: 0 } }, { inner: { name: "", limit: 0 } }],
  [
    "nulls in lists and maps are zero",
    { inners: [null], labels: { a: null }, data: { a: null } },
    { inners: [{ name: "" }], labels: { a: "" }, data: { a: "" } },
  ],
  [
    "quantities",
    { limits: { cpu: "1000m", memory: 0.5, x: " 1024Mi " } },
    { limits: { cpu: "1", memory: "500m", x: "1Gi" } },
  ],
  ["times", { when: "2020-01-02T03:04:05.9+01:00" }, { when: "2020-01-02T02:04:05Z" }],
  [
    "precise times in canonical form",
    { precise: "2024-02-29T23:59:59.123456Z" },
    { precise: "2024-02-29T23:59:59.123456Z" },
  ],
  ["more than microseconds", { precise: "2020-01-02T03:04:05.1234567Z" }, { precise: "2020-01-02T03:04:05.123456Z" }],
  ["precise times", { precise: "2020-01-02T03:04:05Z" }, { precise: "2020-01-02T03:04:05.000000Z" }],
  ["durations", { wait: "90s" }, { wait: "1m30s" }],
  [
    "base64",
    { data: { a: "aGk=", b: "", c: "aG\nk=", d: "aGl=" } },
    { data: { a: "aGk=", b: "", c: "aGk=", d: "aGk=" } },
  ],
  ["numbers or text", { port: "http" }, { port: "http" }],
  ["minus zero", { inner: { limit: -0 } }, { inner: { name: "", limit: 0 } }],
  [
    "raw stays as it is",
    { raw: { z: null, a: [1] }, any: [1, { b: null }] },
    { raw: { z: null, a: [1] }, any: [1, { b: null }] },
  ],
  ["empty raw stays", { raw: {} }, { raw: {} }],
  ["unknown fields go", { nope: 1, inner: { nope: 1 }, metadata: { nope: 1 } }, { inner: { name: "" } }],
  ["undefined is absent", { text: undefined, labels: { a: undefined } }, {}],
  ["inherited names are no fields", { constructor: 1, toString: 2, hasOwnProperty: 3 }, {}],
])("%s", (_, input, want) => {
  const before = structuredClone(input);
  expect(decode(input)).toEqual({ ...always, ...(want as object) });
  expect(input).toEqual(before);
});

test("fields come in schema order, map keys sorted", () => {
  const input = {
    status: {},
    labels: { b: "2", a: "1" },
    metadata: { uid: "u", name: "n" },
    apiVersion: "v1",
    kind: "Thing",
  };
  expect(JSON.stringify(decode(input))).toBe(
    '{"kind":"Thing","apiVersion":"v1","metadata":{"name":"n","uid":"u","creationTimestamp":null},"inners":[],"rules":null,"labels":{"a":"1","b":"2"},"status":{"at":null}}',
  );
});

test("canonical form is a fixed point", () => {
  const input = {
    kind: "Thing",
    limits: { a: "1.5" },
    inner: { limit: 0 },
    raw: { b: 1, a: 2 },
    tree: { children: { x: {} } },
  };
  const once = JSON.stringify(decode(input));
  expect(JSON.stringify(decode(JSON.parse(once)))).toBe(once);
  expect(JSON.stringify(canonicalize(Thing, input))).toBe(once);
  expect(encodeJson<unknown>(Thing, input).toString()).toBe(once);
});

test("unknown fields are reported by path, in document order", () => {
  const found: string[] = [];
  const input = {
    inners: [{ name: "a" }, { name: "b", foo: 1 }],
    bar: {},
    tree: { children: { x: { leaf: 1 } } },
    raw: { any: 1 },
  };
  decoderFor<unknown>(Thing).decode(input, { onUnknown: (path) => found.push(path) });
  expect(found).toEqual(["inners[1].foo", "bar", "tree.children.x.leaf"]);
});

test.each<[unknown, string, string]>([
  [[], "", "json: cannot unmarshal array into Go value of type v1.Thing"],
  ["x", "", "json: cannot unmarshal string into Go value of type v1.Thing"],
  [{ text: 1 }, "text", "json: cannot unmarshal number 1 into Go struct field Thing.text of type string"],
  [{ flag: "true" }, "flag", "json: cannot unmarshal string into Go struct field Thing.flag of type bool"],
  [{ names: "x" }, "names", "json: cannot unmarshal string into Go struct field Thing.names of type []string"],
  [
    { labels: [] },
    "labels",
    "json: cannot unmarshal array into Go struct field Thing.labels of type map[string]string",
  ],
  [
    { labels: { a: 1 } },
    "labels.a",
    "json: cannot unmarshal number 1 into Go struct field Thing.labels.a of type string",
  ],
  [
    { inners: [{}, { count: "x" }] },
    "inners[1].count",
    "json: cannot unmarshal string into Go struct field Inner.inners.count of type int32",
  ],
  [
    { inner: { count: 2 ** 31 } },
    "inner.count",
    "json: cannot unmarshal number 2147483648 into Go struct field Inner.inner.count of type int32",
  ],
  [
    { inner: { count: 0.5 } },
    "inner.count",
    "json: cannot unmarshal number 0.5 into Go struct field Inner.inner.count of type int32",
  ],
  [{ inner: { limit: 2 ** 53 } }, "inner.limit", "json: cannot unmarshal number 9007199254740992 into"],
  [{ unsigned: -1 }, "unsigned", "json: cannot unmarshal number -1 into"],
  [{ ratio: Number.POSITIVE_INFINITY }, "ratio", "json: cannot unmarshal number Infinity into"],
  [{ limits: { cpu: "1x" } }, "limits.cpu", "quantities must match the regular expression"],
  [{ limits: { cpu: true } }, "limits.cpu", "json: cannot unmarshal bool into"],
  [{ when: "soon" }, "when", 'parsing time "soon"'],
  [{ when: "" }, "when", "parsing time"],
  [{ precise: "2023-02-29T00:00:00.000000Z" }, "precise", "parsing time"],
  [{ precise: "2023-02-01T24:00:00.000000Z" }, "precise", "parsing time"],
  [{ precise: "2023-02-01T00:00:00.00000aZ" }, "precise", "parsing time"],
  [{ wait: "1 minute" }, "wait", 'time: unknown unit " minute" in duration "1 minute"'],
  [{ data: { a: "*" } }, "data.a", "illegal base64 data at input byte 0"],
  [{ port: 1.5 }, "port", "of type intstr.IntOrString"],
  [{ raw: [] }, "raw", "json: cannot unmarshal array into"],
  [{ any: { a: [Number.POSITIVE_INFINITY] } }, "any", "64-bit float"],
])("%j is refused", (input, path, message) => {
  let error: unknown;
  try {
    decode(input);
  } catch (caught) {
    error = caught;
  }
  expect(error).toBeInstanceOf(DecodeError);
  expect((error as DecodeError).path).toBe(path);
  expect((error as DecodeError).message).toContain(message);
});

test.each([null, undefined])("%s is refused", (input) => {
  expect(() => decode(input)).toThrow(DecodeError);
});

test("keys that look like prototypes are data in maps, and unknown fields in structs", () => {
  const { value } = parseJson('{"labels":{"__proto__":"a","constructor":"b"},"__proto__":{"polluted":true}}');
  const found: string[] = [];
  const decoded = decoderFor(Thing).decode(value, { onUnknown: (path) => found.push(path) });
  expect(Object.entries(decoded.labels ?? {})).toEqual([
    ["__proto__", "a"],
    ["constructor", "b"],
  ]);
  expect(found).toEqual(["__proto__"]);
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});

test("a schema may have a field named __proto__", () => {
  const Odd = s.message(pkg, "Odd", () => ({ ["__proto__"]: s.optional(1, s.string), "a-b": s.value(2, s.string) }));
  const decoded = decoderFor<unknown>(Odd).decode(JSON.parse('{"__proto__":"x"}'));
  expect(JSON.stringify(decoded)).toBe('{"__proto__":"x","a-b":""}');
});

test("documents as deep as the parser allows are decoded", () => {
  const text = `{"tree":${'{"children":{"x":'.repeat(400)}{}${"}}".repeat(400)}}`;
  const decoded = decode(parseJson(text).value);
  expect(JSON.stringify(decoded)).toContain('{"children":{"x":'.repeat(399));
});
