import { expect, test } from "vitest";
import { listSchemaOf } from "../../resource/list.ts";
import { ObjectMeta } from "../../resource/object-meta.ts";
import * as s from "../../schema/index.ts";
import { DecodeError } from "../decode-error.ts";
import { canonicalize } from "../decoder.ts";
import { decodeMessage } from "./decode.ts";
import { encodeMessage } from "./encode.ts";
import { decodeProtobuf, encodeProtobuf, readEnvelope, readWatchFrame, watchFrame, writeEnvelope } from "./envelope.ts";
import { encodeListFrame, encodeListItem } from "./list.ts";

const pkg = "example/v1";
const Inner = s.message(pkg, "Inner", () => ({ name: s.required(1, s.string), ids: s.optional(2, s.list(s.int64)) }));
const Embedded = s.message(pkg, "Embedded", () => ({ path: s.pointer(1, s.string), deep: s.pointer(2, Inner) }));
const Tree: s.MessageSchema = s.message(pkg, "Tree", () => ({ child: s.pointer<unknown>(1, Tree) }));
const Thing: s.MessageSchema<Record<string, unknown>> = s.object(pkg, "Thing", () => ({
  metadata: s.value(1, ObjectMeta),
  text: s.optional(2, s.string),
  on: s.pointer(3, s.bool),
  small: s.optional(4, s.int32),
  big: s.pointer(5, s.int64),
  unsigned: s.optional(6, s.uint32),
  ratio: s.optional(7, s.double),
  data: s.optional(8, s.mapOf(s.bytes)),
  labels: s.optional(9, s.mapOf(s.string)),
  limits: s.optional(10, s.mapOf(s.quantity)),
  when: s.optional(11, s.time),
  precise: s.optional(12, s.microTime),
  wait: s.optional(13, s.duration),
  port: s.pointer(14, s.intOrString),
  raw: s.optional(15, s.raw),
  inners: s.optional(16, s.list(Inner)),
  byName: s.optional(17, s.mapOf(Inner)),
  any: s.optional(18, s.json),
  numbers: s.optional(19, s.list(s.int32)),
  tree: s.pointer(20, Tree),
  extra: s.optional(21, s.mapOf(s.list(s.string))),
  times: s.optional(22, s.mapOf(s.time)),
  moments: s.optional(23, s.list(s.time)),
  request: s.required(24, s.bytes),
  ...s.embed(200, "embedded", Embedded),
})) as unknown as s.MessageSchema<Record<string, unknown>>;

test.each<[string, Record<string, unknown>]>([
  ["nothing", {}],
  ["text", { text: "héllo 😀\0" }],
  ["pointers to zero", { on: false, big: 0, port: 0 }],
  ["integers", { small: -1, big: Number.MIN_SAFE_INTEGER, unsigned: 4294967295 }],
  ["large integers", { small: 2147483647, big: Number.MAX_SAFE_INTEGER }],
  ["doubles", { ratio: -0.1 }],
  ["bytes", { data: { a: "AP/+", b: "" } }],
  ["bytes that are none", { request: "" }],
  ["entries that are null", { data: { a: null } }],
  ["maps", { labels: { a: "1", b: "", "": "x" }, limits: { cpu: "500m", memory: "1Gi" }, byName: { x: { name: "" } } }],
  ["times", { when: "2020-01-02T03:04:05Z", precise: "2020-01-02T03:04:05.123456Z" }],
  ["early times", { when: "0001-01-01T00:00:00Z", precise: "1969-12-31T23:59:59.900000Z" }],
  ["times of 1970", { when: "1970-01-01T00:00:00Z", precise: "1970-01-01T00:00:00.000000Z" }],
  ["entries and items that are null", { times: { a: null }, moments: [null, "1970-01-01T00:00:00Z"] }],
  ["durations", { wait: "1h0m0.5s" }],
  ["ports by name", { port: "http" }],
  ["raw", { raw: { a: [1, null, { b: "x" }] }, any: ["x"] }],
  ["lists", { inners: [{ name: "a", ids: [1, -2, 300] }, { name: "" }], numbers: [0, 1] }],
  ["maps of lists", { extra: { a: ["x", "y"], b: [] } }],
  [
    "more than the first buffer holds",
    { numbers: Array.from({ length: 5000 }, (_, i) => i % 90), text: "x".repeat(3000) },
  ],
  ["flattened fields", { path: "", deep: { name: "d" } }],
  [
    "metadata",
    {
      metadata: {
        name: "n",
        creationTimestamp: "2020-01-02T03:04:05Z",
        finalizers: ["a/b"],
        managedFields: [{ manager: "m", fieldsV1: { "f:data": {} } }],
      },
    },
  ],
])("%s survive the wire", (_, fields) => {
  const object = { kind: "Thing", apiVersion: "example/v1", ...fields };
  const want = canonicalize<Record<string, unknown>>(Thing, object);
  expect(decodeProtobuf(Thing, encodeProtobuf(Thing, object))).toEqual(want);
});

test("the bytes are those that other programs write", () => {
  expect(encodeMessage(Inner, { name: "ab", ids: [1, 300] }).toString("hex")).toBe("0a026162100110ac02");
  expect(decodeMessage(Inner, Buffer.from("0a026162120301ac02", "hex"))).toEqual({ name: "ab", ids: [1, 300] });
  expect(writeEnvelope("v1", "Pod", Buffer.from("x")).toString("hex")).toBe(
    `6f387300${"0a09"}${"0a027631"}${"1203506f64"}${"120178"}${"1a00"}${"2200"}`,
  );
  const time = s.message(pkg, "T", () => ({ at: s.optional(1, s.time), port: s.pointer(2, s.intOrString) }));
  expect(encodeMessage(time, { at: "1970-01-01T00:00:01Z", port: "x" }).toString("hex")).toBe(
    "0a0408011000120508011a0178",
  );
});

test("an envelope of stock clients differs only in the magic", () => {
  const ours = writeEnvelope("v1", "ConfigMap", Buffer.from("abc"));
  const stock = Buffer.concat([Buffer.from("k8s\0"), ours.subarray(4)]);
  expect(readEnvelope(stock)).toEqual(readEnvelope(ours));
});

test("an envelope contains the type of its object", () => {
  const envelope = readEnvelope(writeEnvelope("apps/v1", "Deployment", Buffer.from("abc")));
  expect(envelope).toMatchObject({ apiVersion: "apps/v1", kind: "Deployment", contentType: "", contentEncoding: "" });
  expect(Buffer.from(envelope.raw).toString()).toBe("abc");
});

test("a watch frame carries length, type and object", () => {
  expect(watchFrame("ADDED", Buffer.from("ob")).toString("hex")).toBe("0000000d0a0541444445441204" + "0a026f62");
});

test("a watch frame is read without its length, and its unknown fields are skipped", () => {
  const frame = watchFrame("ADDED", Buffer.from("ob")).subarray(4);
  const { type, object } = readWatchFrame(Buffer.concat([frame, Buffer.from("1801220178", "hex")]));
  expect([type, Buffer.from(object).toString()]).toEqual(["ADDED", "ob"]);
  expect(readWatchFrame(Buffer.of())).toEqual({ type: "", object: new Uint8Array() });
  for (let length = 1; length < frame.length; length++)
    if (length !== 7) expect(() => readWatchFrame(frame.subarray(0, length)), `${length} bytes`).toThrow(DecodeError);
});

test("unknown fields are skipped", () => {
  expect(
    decodeMessage(Inner, Buffer.from("0a0161" + "5801" + "610000000000000000" + "6a0178" + "75" + "00000000", "hex")),
  ).toEqual({ name: "a" });
});

const nested = (depth: number): Buffer => {
  let bytes: Buffer = Buffer.alloc(0);
  for (let i = 0; i < depth; i++) {
    const length: number[] = [];
    for (let rest = bytes.length; ; rest >>>= 7) {
      length.push((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0));
      if (rest <= 0x7f) {
        break;
      }
    }
    bytes = Buffer.concat([Buffer.from([0x0a, ...length]), bytes]);
  }
  return bytes;
};

test.each<[string, s.MessageSchema, Buffer]>([
  ["cut text", Inner, Buffer.from("0a05616263", "hex")],
  ["huge length", Inner, Buffer.from("0affffffff0f", "hex")],
  ["negative length", Inner, Buffer.from("0affffffffffffffffff01", "hex")],
  ["endless varint", Inner, Buffer.from("10ffffffffffffffffffffffff", "hex")],
  ["wrong wire type", Inner, Buffer.from("0801", "hex")],
  ["group", Inner, Buffer.from("5b", "hex")],
  ["field zero", Inner, Buffer.from("0001", "hex")],
  ["beyond 2^53", Inner, Buffer.from("1080808080808080808001", "hex")],
  ["deep nesting", Tree, nested(3000)],
])("%s is refused", (_, schema, bytes) => {
  expect(() => decodeMessage(schema, bytes)).toThrow(DecodeError);
});

test.each(["", "6b387400", "6f3873", "6f3873000a"])("envelope %s is refused", (hex) => {
  expect(() => readEnvelope(Buffer.from(hex, "hex"))).toThrow(DecodeError);
});

test("random bytes never crash", () => {
  let seed = 1;
  const random = () => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return seed;
  };
  for (let round = 0; round < 2000; round++) {
    const bytes = Buffer.from(Array.from({ length: random() % 40 }, () => random() % 256));
    try {
      decodeMessage(Thing, bytes);
    } catch (error) {
      expect(error, bytes.toString("hex")).toBeInstanceOf(DecodeError);
    }
  }
});

test.each([
  { name: "without items", items: [], metadata: { resourceVersion: "7" } },
  { name: "with one", items: [{ metadata: { name: "a" }, request: "" }], metadata: {} },
  {
    name: "with many",
    items: Array.from({ length: 300 }, (_, n) => ({
      metadata: { name: `thing-${n}` },
      text: "x".repeat(n),
      request: "",
    })),
    metadata: { resourceVersion: "123", continue: "abc", remainingItemCount: 5 },
  },
])("a list $name made piece by piece has the bytes of the whole", ({ items, metadata }) => {
  const list = { kind: "ThingList", apiVersion: "example/v1", metadata, items };
  const whole = encodeProtobuf(listSchemaOf(Thing as never), list as never);
  const pieces = items.map((item) => encodeListItem(Thing, { kind: "Thing", apiVersion: "example/v1", ...item }));
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const { head, tail } = encodeListFrame("example/v1", "ThingList", metadata, length);
  expect(Buffer.concat([head, ...pieces, tail])).toEqual(whole);
});
