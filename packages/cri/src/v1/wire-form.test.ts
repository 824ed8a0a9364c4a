/** The description of the messages against the table of facts, and the codec against protobufjs's own encoder and decoder. */
import { readFileSync } from "node:fs";
import protobuf from "protobufjs/light.js";
import { expect, test } from "vitest";
import { bool, bytes, type Field, int32, int64, List, nanos, string, stringMap, uint32, uint64 } from "./fields.ts";
import { Message, wrapper } from "./message.ts";
import { type Methods, wireName } from "./method.ts";
import { PodSandboxConfig } from "./sandbox.ts";
import { imageService, runtimeService } from "./services.ts";

/** A message without the types of its fields. */
interface Codec {
  readonly fields: Readonly<Record<string, readonly [number, Field<unknown>]>>;
  encode(value: object): Buffer;
  decode(bytes: Buffer): object;
}

interface FactsField {
  readonly n: string;
  readonly t: string;
  readonly pb: number;
}

interface Facts {
  readonly services: Readonly<
    Record<string, readonly { method: string; req: string; resp: string; serverStream?: true }[]>
  >;
  readonly messages: Readonly<Record<string, readonly FactsField[]>>;
  readonly enums: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

const facts: Facts = JSON.parse(readFileSync(new URL("../../../testkit/facts/cri.json", import.meta.url), "utf8"));

function camel(name: string): string {
  return name === "CDI_devices" ? "cdiDevices" : name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function isNanos({ n, t }: FactsField): boolean {
  return t === "int64" && /^(created_at|started_at|finished_at|timestamp)$/.test(n);
}

/** Fields of a message of the facts, without those of Windows. */
function fieldsOf(name: string): readonly FactsField[] {
  return (facts.messages[name] ?? []).filter(({ t }) => !t.includes("Windows"));
}

const scalars = new Map<Field<unknown>, string>([
  [string, "string"],
  [bool, "bool"],
  [bytes, "bytes"],
  [int32, "int32"],
  [uint32, "uint32"],
  [int64, "int64"],
  [uint64, "uint64"],
  [nanos, "nanos"],
  [stringMap, "map[string]string"],
]);

/** Type of a field as the facts spell it, if it agrees with `want`; adds messages to `seen`. */
function kindOf(field: Field<unknown>, want: string, seen: Map<string, Codec>): string {
  if (field instanceof List) return `[]${kindOf(field.element, want.replace("[]", ""), seen)}`;
  if (field instanceof Message) {
    seen.set(want, field as unknown as Codec);
    return want in facts.messages ? want : "a message";
  }
  if ("names" in field) {
    const names = field.names as readonly string[];
    const values = Object.fromEntries(names.map((name, number) => [name, number]));
    return JSON.stringify(values) === JSON.stringify(facts.enums[want]) ? want : JSON.stringify(values);
  }
  if (field instanceof wrapper(int64).constructor) {
    const inner = Reflect.get(field, "message") as Codec;
    return inner.fields.value?.[1] === int64 ? "Int64Value" : "UInt64Value";
  }
  return scalars.get(field) ?? "unknown";
}

/** Every message that is reached from the services, by its name in the facts. */
function reachedMessages(): Map<string, Codec> {
  const seen = new Map<string, Codec>();
  for (const [service, methods] of Object.entries<Methods>({
    RuntimeService: runtimeService,
    ImageService: imageService,
  })) {
    for (const [name, { request, response }] of Object.entries(methods)) {
      const found = facts.services[service]?.find(({ method }) => method === wireName(name));
      if (found === undefined) throw new Error(`the facts have no method ${name}`);
      seen.set(found.req, request as Codec).set(found.resp, response as Codec);
    }
  }
  for (const [name, { fields }] of seen) {
    for (const [field, [number, kind]] of Object.entries(fields)) {
      const want = fieldsOf(name).find(({ pb }) => pb === number);
      kindOf(kind, want?.t ?? `${name}.${field}`, seen);
    }
  }
  return seen;
}

const reached = reachedMessages();

test("messages and enums agree with the facts", () => {
  for (const [name, { fields }] of reached) {
    const want = fieldsOf(name).map((field) => [camel(field.n), field.pb, isNanos(field) ? "nanos" : field.t]);
    const found = Object.entries(fields).map(([field, [number, kind]], i) => [
      field,
      number,
      kindOf(kind, fieldsOf(name)[i]?.t ?? "nothing", new Map()),
    ]);
    expect(found, name).toEqual(want);
  }
});

test("every method of the facts is described but those that nothing here calls or serves", () => {
  for (const [service, methods] of Object.entries<Methods>({
    RuntimeService: runtimeService,
    ImageService: imageService,
  })) {
    const described = Object.entries(methods).map(([name, { stream }]) => [wireName(name), stream]);
    const unused = ["ListMetricDescriptors", "ListPodSandboxMetrics"];
    const want = (facts.services[service] ?? []).filter(({ method }) => !unused.includes(method));
    expect(described).toEqual(want.map(({ method, serverStream = false }) => [method, serverStream]));
  }
});

/** The same messages for protobufjs's own encoder, made from the facts alone. */
function reflect(): protobuf.Root {
  const messages = Object.keys(facts.messages).map((name) => {
    const fields = fieldsOf(name).map(({ n, t, pb }) => {
      if (t.startsWith("map")) return [camel(n), { keyType: "string", type: "string", id: pb }];
      const rule = t.startsWith("[]") ? { rule: "repeated" } : {};
      return [camel(n), { ...rule, type: t.replace("[]", ""), id: pb }];
    });
    return [name, { fields: Object.fromEntries(fields) }];
  });
  const enums = Object.entries(facts.enums).map(([name, values]) => [name, { values }]);
  const nested = Object.fromEntries([...messages, ...enums]);
  return protobuf.Root.fromJSON({ nested: { v1: { edition: "proto3", nested } } } as protobuf.INamespace);
}

/** Values of fields, the same ones for the same seed. */
class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  below(limit: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.#state / 2 ** 32) * limit);
  }

  pick<T>(values: readonly [T, ...T[]]): T {
    return values[this.below(values.length)] ?? values[0];
  }

  integer(min: number, max: number): number {
    return this.pick([0, 1, min, max, Math.min(max, 300), Math.max(min, -300), this.below(max)]);
  }

  text(): string {
    return this.pick(["", "a", "web-0", "ü€😀", "__proto__", "x".repeat(this.below(300))]);
  }

  repeat<T>(value: () => T): T[] {
    return Array.from({ length: this.below(4) }, value);
  }
}

/** A value of a message as our codec has it: scalars, lists and maps are there, messages and wrappers sometimes. */
function fill(name: string, random: Random): object {
  const value: Record<string, unknown> = {};
  for (const field of fieldsOf(name)) {
    const type = field.t.replace("[]", "");
    const one = () => fillOne(field, type, random);
    if (field.t.startsWith("[]")) value[camel(field.n)] = random.repeat(one);
    else if (!(type in facts.messages) || random.below(4) > 0) value[camel(field.n)] = one();
  }
  return value;
}

function fillOne(field: FactsField, type: string, random: Random): unknown {
  const { MAX_SAFE_INTEGER, MIN_SAFE_INTEGER } = Number;
  if (isNanos(field)) return random.pick([0n, -1n, 1_700_000_000_123_456_789n, 2n ** 63n - 1n, -(2n ** 63n)]);
  const names = Object.keys(facts.enums[type] ?? {});
  if (names.length > 0) return names[random.below(names.length)];
  switch (type) {
    case "string":
      return random.text();
    case "bool":
      return random.below(2) === 1;
    case "bytes":
      return Uint8Array.from(random.repeat(() => random.below(256)));
    case "int32":
      return random.integer(-(2 ** 31), 2 ** 31 - 1);
    case "uint32":
      return random.integer(0, 2 ** 32 - 1);
    case "int64":
    case "Int64Value":
      return random.integer(MIN_SAFE_INTEGER, MAX_SAFE_INTEGER);
    case "uint64":
    case "UInt64Value":
      return random.integer(0, MAX_SAFE_INTEGER);
    case "map[string]string": {
      const map: Record<string, string> = {};
      for (const key of random.repeat(() => random.text()))
        Object.defineProperty(map, key, { value: random.text(), enumerable: true, configurable: true, writable: true });
      return map;
    }
    default:
      return fill(type, random);
  }
}

/** The value as protobufjs takes it: wrappers are messages, large integers are texts. */
function plain(name: string, value: object): object {
  const convert = (type: string, given: unknown): unknown => {
    if (given === undefined) return undefined;
    if (type.startsWith("[]")) return (given as unknown[]).map((each) => convert(type.slice(2), each));
    if (type.endsWith("Int64Value")) return { value: given };
    if (typeof given === "bigint") return String(given);
    return type in facts.messages ? plain(type, given as object) : given;
  };
  return Object.fromEntries(fieldsOf(name).map(({ n, t }) => [camel(n), convert(t, Reflect.get(value, camel(n)))]));
}

const oracle = reflect();

test.each([...reached].map(([name, message]) => ({ name, message })))(
  "$name has the bytes that protobufjs writes, and is read from them",
  ({ name, message }) => {
    const random = new Random(name.length * 7919 + name.charCodeAt(0));
    const type = oracle.lookupType(`v1.${name}`);
    for (let i = 0; i < 20; i++) {
      const value = fill(name, random);
      const want = Buffer.from(type.encode(type.fromObject(plain(name, value))).finish());
      expect(message.encode(value).toString("hex")).toBe(want.toString("hex"));
      expect(message.decode(want)).toEqual(value);
    }
  },
);

test("truncated messages are rejected exactly where protobufjs rejects them", () => {
  const random = new Random(1);
  const type = oracle.lookupType("v1.PodSandboxConfig");
  const rejects = (decode: (input: Buffer) => unknown, input: Buffer) => {
    try {
      decode(input);
      return false;
    } catch {
      return true;
    }
  };
  for (let i = 0; i < 10; i++) {
    const whole = PodSandboxConfig.encode(fill("PodSandboxConfig", random));
    for (let end = 0; end < whole.length; end++) {
      const input = whole.subarray(0, end);
      expect(rejects((it) => PodSandboxConfig.decode(it), input)).toBe(rejects((it) => type.decode(it), input));
    }
  }
});
