import { allResources, core, loadOptionalResources } from "@orchernetes/api";
import { loadScheme } from "@orchernetes/api/scheme";
import {
  type ApiObject,
  apiVersionOf,
  canonicalize,
  createScheme,
  DecodeError,
  encodeListFrame,
  encodeListItem,
  encodeProtobuf,
  failure,
  type ListMeta,
  listSchemaOf,
  type ResourceDefinition,
  Status,
  seededNumbers,
  watchFrame,
  writeEnvelope,
} from "@orchernetes/apimachinery";
import { describe, expect, test } from "vitest";
import type { RawEvent } from "../transport/body-format.ts";
import { ProtobufFormat } from "./protobuf-format.ts";
import { sampleObject } from "./sample-value.fixture.ts";
import { maxFrameBytes } from "./watch-frames.ts";

const everyResource = [...allResources, ...(await loadOptionalResources(() => true))];
const format = new ProtobufFormat(await loadScheme());
const pods = core.pods as unknown as ResourceDefinition;

const wireOf = ({ schema }: ResourceDefinition, object: ApiObject): Buffer => encodeProtobuf(schema, object);

/** A list as the server sends it. */
function listBytes(definition: ResourceDefinition, metadata: ListMeta, objects: readonly ApiObject[]): Buffer {
  const { schema, kind, listKind = `${kind}List` } = definition;
  const items = objects.map((object) => encodeListItem(schema, object));
  const length = items.reduce((sum, item) => sum + item.length, 0);
  const { head, tail } = encodeListFrame(apiVersionOf(definition), listKind, metadata, length);
  return Buffer.concat([head, ...items, tail]);
}

/** A pod of some 250 bytes, for tests that read it very often. */
const smallPod = (name: string): ApiObject =>
  canonicalize(pods.schema, {
    kind: "Pod",
    apiVersion: "v1",
    metadata: { name, labels: { app: "web" } },
    spec: { nodeName: "node-1", containers: [{ name: "c", image: "é" }] },
    status: { phase: "Running" },
  });

const withoutType = ({ kind: _kind, apiVersion: _apiVersion, ...item }: ApiObject): object => item;

async function* chunks(...parts: readonly Uint8Array[]): AsyncGenerator<Buffer> {
  for (const part of parts) yield Buffer.from(part);
}

/** All events of a stream; an error ends it. */
async function eventsOf(...parts: readonly Uint8Array[]): Promise<readonly (RawEvent | Error)[]> {
  const found: (RawEvent | Error)[] = [];
  for await (const batch of format.events(chunks(...parts))) found.push(...batch);
  return found;
}

/** What a list reader gives out of these chunks. */
function readListOf(...parts: readonly Uint8Array[]): { readonly items: unknown[]; readonly metadata: ListMeta } {
  const items: unknown[] = [];
  const reader = format.list((item) => items.push(item));
  for (const part of parts) reader.write(Buffer.from(part));
  return { items, metadata: reader.end() };
}

const split = (bytes: Buffer, at: number): readonly Buffer[] => [bytes.subarray(0, at), bytes.subarray(at)];
const single = (bytes: Buffer): readonly Buffer[] => [...bytes].map((byte) => Buffer.of(byte));

describe.each(
  everyResource.map((definition) => [`${apiVersionOf(definition)} ${definition.kind}`, definition] as const),
)("%s", (_, definition) => {
  const object = sampleObject(definition);

  test("is read as the JSON of the same object", async () => {
    expect(format.object(wireOf(definition, object))).toEqual(object);
    expect(await eventsOf(watchFrame("MODIFIED", wireOf(definition, object)))).toEqual([{ type: "MODIFIED", object }]);
  });

  test("is read in lists as the JSON of the same list", () => {
    const metadata = { resourceVersion: "9", continue: "more", remainingItemCount: 3 };
    const items = [withoutType(object), withoutType(object)];
    const bytes = listBytes(definition, metadata, [object, object]);
    expect(readListOf(bytes)).toEqual({ items, metadata });
    const kind = definition.listKind ?? `${definition.kind}List`;
    expect(format.object(bytes)).toEqual({ kind, apiVersion: apiVersionOf(definition), metadata, items });
  });
});

describe("lists", () => {
  const [a, b] = ["a", "b"].map(smallPod) as [ApiObject, ApiObject];
  const bytes = listBytes(pods, { resourceVersion: "9" }, [a, b]);
  const whole = { items: [a, b].map(withoutType), metadata: { resourceVersion: "9" } };

  test("are read wherever the chunks end", () => {
    for (let at = 0; at <= bytes.length; at++) expect(readListOf(...split(bytes, at)), `at ${at}`).toEqual(whole);
    expect(readListOf(...single(bytes))).toEqual(whole);
  });

  test("without items have their metadata", () => {
    expect(readListOf(listBytes(pods, { resourceVersion: "9" }, []))).toEqual({ items: [], metadata: whole.metadata });
    const schema = listSchemaOf(pods.schema);
    const empty = encodeProtobuf(schema, { kind: "PodList", apiVersion: "v1", metadata: {}, items: [] });
    expect(readListOf(empty)).toEqual({ items: [], metadata: {} });
    expect(format.object(empty)).toEqual({ kind: "PodList", apiVersion: "v1", metadata: {}, items: [] });
  });

  test("that end early are not complete", () => {
    for (let at = 0; at < bytes.length - 4; at++)
      expect(() => readListOf(bytes.subarray(0, at)), `at ${at}`).toThrow("the list is not complete");
  });

  test("that are long are read item by item", () => {
    const items: unknown[] = [];
    const reader = format.list((item) => items.push(item));
    reader.write(bytes.subarray(0, Math.floor(bytes.length * 0.6)));
    expect(items).toHaveLength(1);
  });

  test("what the reader of an item throws is thrown", () => {
    const reader = format.list(() => {
      throw new TypeError("mine");
    });
    expect(() => reader.write(bytes)).toThrow("mine");
  });

  test.each<[string, Buffer, string]>([
    ["JSON", Buffer.from('{"kind":"PodList"}'), "the beginning is no envelope's"],
    ["an object", wireOf(pods, a), "Pod, no list"],
    ["a list of an unknown kind", writeEnvelope("x/v1", "XList", Buffer.of()), "nothing of a known kind, no list"],
    ["a field of no bytes", Buffer.concat([bytes.subarray(0, 4), Buffer.of(0x08, 1)]), "illegal tag 8"],
    ["a field without a number", Buffer.concat([bytes.subarray(0, 4), Buffer.of(0x02, 1)]), "illegal tag 2"],
    ["a long number", Buffer.concat([bytes.subarray(0, 4), Buffer.alloc(12, 0xff)]), "integer overflow"],
    [
      "an item that is longer than its list",
      writeEnvelope("v1", "PodList", Buffer.of(0x12, 0x05, 0)),
      "a field is longer than its list",
    ],
    ["an item of nonsense", writeEnvelope("v1", "PodList", Buffer.of(0x12, 0x02, 0x0a, 0x7f)), "unexpected EOF"],
  ])("%s is an error", (_, hostile, message) => {
    expect(() => readListOf(hostile)).toThrow(DecodeError);
    expect(() => readListOf(hostile)).toThrow(message);
  });

  test("changed bytes give items or an error of decoding, whatever they are", () => {
    const next = seededNumbers(11);
    let failures = 0;
    for (let i = 0; i < 500; i++) {
      const changed = Buffer.from(bytes);
      for (let j = 0; j < 3; j++) changed[next(changed.length)] = next(256);
      try {
        expect(readListOf(...split(changed, next(changed.length))).items.length).toBeLessThanOrEqual(3);
      } catch (error) {
        failures++;
        expect([DecodeError, RangeError, SyntaxError].some((type) => error instanceof type)).toBe(true);
      }
    }
    expect(failures).toBeGreaterThan(100);
  });

  test("an endless item is an error before it arrives", () => {
    // Of 68 MiB, in a list of nearly 2 GiB.
    const head = Buffer.from("0a0d0a02763112" + "07506f644c697374" + "12ffffffff07" + "1280808022", "hex");
    expect(() => readListOf(Buffer.concat([bytes.subarray(0, 4), head]))).toThrow(RangeError);
  });
});

describe("watches", () => {
  const object = smallPod("a");
  const bookmark = { kind: "Pod", apiVersion: "v1", metadata: { resourceVersion: "12", creationTimestamp: null } };
  const status = failure("Expired", "too old");
  const stream = Buffer.concat([
    watchFrame("ADDED", wireOf(pods, object)),
    watchFrame("BOOKMARK", wireOf(pods, bookmark as unknown as ApiObject)),
    watchFrame("ERROR", encodeProtobuf(Status, status)),
  ]);
  const want = [
    { type: "ADDED", object },
    { type: "BOOKMARK", object: expect.objectContaining({ metadata: bookmark.metadata }) },
    { type: "ERROR", object: expect.objectContaining({ kind: "Status", code: 410, reason: "Expired" }) },
  ];

  test("are read wherever the chunks end", async () => {
    expect(await eventsOf(stream)).toEqual(want);
    const first = watchFrame("BOOKMARK", wireOf(pods, bookmark as unknown as ApiObject));
    const twice = Buffer.concat([first, first]);
    for (let at = 0; at <= twice.length; at++) {
      const found = await eventsOf(...split(twice, at));
      expect(
        found.map((event) => (event as RawEvent).type),
        `at ${at}`,
      ).toEqual(["BOOKMARK", "BOOKMARK"]);
    }
    expect(await eventsOf(...single(stream))).toEqual(want);
  });

  test("events that arrive together come together, and an incomplete last one is dropped", async () => {
    const sizes: number[] = [];
    const source = chunks(Buffer.concat([stream, stream.subarray(0, 40)]), stream.subarray(40, 60));
    for await (const batch of format.events(source)) sizes.push(batch.length);
    expect(sizes).toEqual([3]);
  });

  test.each<[string, Buffer, string]>([
    ["a frame that is too long", Buffer.from("ffffffff", "hex"), `want at most ${maxFrameBytes}`],
    ["an empty frame", Buffer.alloc(4), "an empty frame"],
    ["a frame of nonsense", Buffer.from("00000003ffffff", "hex"), "unexpected EOF"],
    ["a frame of text", Buffer.from("\0\0\0\x09not proto"), "proto"],
    ["an event without an object", watchFrame("ADDED", Buffer.of()), "does not appear to be a protobuf message"],
    ["an event of JSON", watchFrame("ADDED", Buffer.from("{}")), "does not appear to be a protobuf message"],
    [
      "an object of an unknown kind",
      watchFrame("ADDED", writeEnvelope("x/v1", "X", Buffer.of())),
      'kind "X" of version',
    ],
    ["an object of nonsense", watchFrame("ADDED", writeEnvelope("v1", "Pod", Buffer.of(0x0a, 9))), "unexpected EOF"],
  ])("%s ends the stream after the events before it", async (_, hostile, message) => {
    const before = watchFrame("ADDED", wireOf(pods, object));
    const found = await eventsOf(Buffer.concat([before, hostile]), before);
    expect(found).toEqual([want[0], expect.any(Error)]);
    expect((found[1] as Error).message).toContain(message);
  });

  test("changed bytes give an event, an error or nothing, whatever they are", async () => {
    const next = seededNumbers(7);
    for (let i = 0; i < 300; i++) {
      const bytes = Buffer.from(stream);
      for (let j = 0; j < 3; j++) bytes[next(bytes.length)] = next(256);
      // The length of a frame decides how much is waited for, not what is read.
      bytes.writeUInt8(0, 0);
      const found = await eventsOf(...split(bytes, next(bytes.length)));
      for (const event of found.slice(0, -1)) expect(event).not.toBeInstanceOf(Error);
    }
  });
});

test("an object of an unknown kind is an error", () => {
  const small = new ProtobufFormat(createScheme([]));
  expect(() => small.object(wireOf(pods, sampleObject(pods)))).toThrow('kind "Pod" of version "v1" is not known');
});
