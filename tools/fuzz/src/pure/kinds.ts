import {
  type ApiObject,
  canonicalize,
  type Draft,
  decodeProtobuf,
  decoderFor,
  encodeProtobuf,
  parseJson,
  type ResourceDefinition,
  type StrategyContext,
} from "@orchernetes/apimachinery";
import { everyResource, minimalObject } from "../generate/minimal-objects.ts";
import { randomObject } from "../generate/object.ts";
import { wireText } from "../generate/wire.ts";
import type { Random } from "../random.ts";
import { bytesOf, type PureTarget } from "../target.ts";
import { attempt, deepFreeze, hasEscapedKey, isDecodeError, sameJson } from "./attempt.ts";

const byKey = new Map(everyResource.map((definition) => [keyOf(definition), definition]));

/** The name of a resource in cases: `group/version/plural`. */
export function keyOf({ group, version, plural }: ResourceDefinition): string {
  return `${group}/${version}/${plural}`;
}

/** The resource that a case names. @throws Error when there is none */
export function resourceOf(key: string): ResourceDefinition {
  const found = byKey.get(key);
  if (found === undefined) throw new Error(`no resource ${JSON.stringify(key)}`);
  return found;
}

/** The context for all calls of strategies. The time is fixed, so that a case always gives the same result. */
export const strategyContext: StrategyContext = {
  now: new Date("2026-01-01T00:00:00Z"),
  user: { name: "fuzz", groups: ["fuzzers"] },
  featureEnabled: () => true,
  allowPrivileged: true,
};

interface KindCase extends Readonly<Record<string, string>> {
  readonly resource: string;
  readonly object: string;
}

/**
 * The steps of the server between body and store, for objects of any kind: decode, default, prepare, validate,
 * convert, encode.
 *
 * Decoding may reject the object; later steps must not throw.
 */
export const kindsTarget: PureTarget<KindCase> = {
  name: "kinds",
  generate: (random) => {
    const definition = random.pick(everyResource);
    return { resource: keyOf(definition), object: JSON.stringify(randomObject(random, definition)) };
  },
  check: ({ resource, object }) => {
    const definition = resourceOf(resource);
    const { schema } = definition;
    const parsed = attempt(() => parseJson(object).value, isDecodeError);
    if (!parsed.ok) return undefined;
    const decoded = attempt(() => decoderFor(schema).decode(deepFreeze(parsed.value)), isDecodeError);
    if (!decoded.ok) return undefined;
    const again = canonicalize(schema, decoded.value);
    if (!sameJson(again, decoded.value)) return `decoding is not idempotent: ${JSON.stringify(again)}`;
    const changed = wireProblem(definition, decoded.value);
    if (changed !== undefined && !hasEscapedKey(object)) return changed;
    return strategyProblem(definition, decoded.value);
  },
};

/** Says how protobuf loses or changes an object; undefined when it does not. */
function wireProblem({ schema }: ResourceDefinition, object: ApiObject): string | undefined {
  const bytes = encodeProtobuf(schema, object);
  const back = decodeProtobuf(schema, bytes);
  if (!sameJson(onTheWire(back), onTheWire(object))) return `protobuf changes the object: ${JSON.stringify(back)}`;
  if (!sameJson(canonicalize(schema, back), back)) return "protobuf decodes to an object that is not canonical";
  return encodeProtobuf(schema, back).equals(bytes) ? undefined : "protobuf of the same object differs";
}

/**
 * The object without what the wire format cannot express: empty lists and maps, which it does not distinguish from
 * absent ones, and kind and version of the claim templates of stateful sets, which defaulting restores.
 */
function onTheWire(value: unknown, inside = ""): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => onTheWire(item, inside) ?? null);
  const members = Object.entries(value)
    .filter(([key]) => inside !== "volumeClaimTemplates" || (key !== "kind" && key !== "apiVersion"))
    .map(([key, item]) => [key, onTheWire(item, key)] as const);
  return Object.fromEntries(
    members.filter(([, item]) => typeof item !== "object" || item === null || Object.keys(item).length > 0),
  );
}

function draftOf(object: ApiObject): Draft<ApiObject> {
  return structuredClone(object) as Draft<ApiObject>;
}

/** Says what is wrong with defaulting or validation of an object; undefined when nothing is. */
function strategyProblem(definition: ResourceDefinition, decoded: ApiObject): string | undefined {
  const { schema, strategy } = definition;
  const draft = draftOf(decoded);
  definition.applyDefaults?.(draft);
  const defaulted = canonicalize(schema, draft);
  const twice = draftOf(defaulted);
  definition.applyDefaults?.(twice);
  if (!sameJson(canonicalize(schema, twice), defaulted)) return "defaulting twice differs from defaulting once";
  const created = draftOf(defaulted);
  strategy.prepareForCreate?.(created, strategyContext);
  const object = deepFreeze(canonicalize(schema, created));
  const errors = strategy.validate?.(object, strategyContext) ?? [];
  for (const { field, message } of errors) {
    if (typeof field !== "string" || typeof message !== "string") return "a validation error has no field or message";
  }
  views(definition, object);
  updates(definition, object);
  return undefined;
}

/**
 * Calls everything that reads an object. Nothing here may throw: the store may hold objects that an older version
 * accepted.
 */
function views(definition: ResourceDefinition, object: ApiObject): void {
  for (const column of definition.columns) column.value(object, strategyContext.now);
  definition.rowConditions?.(object);
  definition.selectableFields?.(object);
  definition.strategy.warnings?.(object, undefined);
  definition.strategy.decideDeletion?.(object, undefined);
  definition.strategy.decideDeletion?.(object, 0);
  definition.strategy.generation?.(object);
  const { storedAs } = definition;
  const stored = storedAs?.toStored?.(object);
  if (stored !== undefined) storedAs?.fromStored?.(stored);
}

/** Updates the object to a minimal one and back, at every endpoint. */
function updates(definition: ResourceDefinition, object: ApiObject): void {
  const other = draftOf(canonicalize(definition.schema, minimalObject(definition, "fuzz-1")));
  definition.applyDefaults?.(other);
  const strategies = [definition.strategy];
  for (const subresource of Object.values(definition.subresources ?? {})) {
    if ("strategy" in subresource) strategies.push(subresource.strategy);
  }
  for (const strategy of strategies) {
    for (const [from, to] of [
      [other, object],
      [object, other],
    ] as const) {
      const draft = draftOf(to);
      const old = deepFreeze(draftOf(from)) as ApiObject;
      strategy.prepareForUpdate?.(draft, old, strategyContext);
      const next = canonicalize(definition.schema, draft);
      strategy.validateUpdate?.(next, old, strategyContext);
      strategy.warnings?.(next, old);
    }
  }
}

interface WireCase extends Readonly<Record<string, string>> {
  readonly resource: string;
  readonly bytes: string;
}

/** The protobuf codec on bytes that differ a little from an encoded object. */
export const protobufTarget: PureTarget<WireCase> = {
  name: "protobuf",
  generate: (random: Random) => {
    const definition = random.pick(everyResource);
    return { resource: keyOf(definition), bytes: wireText(random, definition, randomObject(random, definition)) };
  },
  check: ({ resource, bytes }) => {
    const { schema } = resourceOf(resource);
    const decoded = attempt(() => decodeProtobuf(schema, bytesOf(bytes)), isDecodeError);
    if (!decoded.ok) return undefined;
    const canonical = attempt(() => canonicalize(schema, decoded.value), isDecodeError);
    // The server stores what the decoder returns, so it must be in canonical form.
    if (!canonical.ok) return `decodes to an object that the schema rejects: ${canonical.error.message}`;
    const again = decodeProtobuf(schema, encodeProtobuf(schema, decoded.value));
    return sameJson(again, decoded.value) ? undefined : `encoding and decoding again differs: ${JSON.stringify(again)}`;
  },
};
