import {
  type ApiObject,
  apiVersionOf,
  canonicalize,
  cloneJson,
  type Draft,
  decoderFor,
  type FieldTracker,
  fieldTracker,
  isConflict,
  isObject,
  type JsonObject,
  type ManagedFieldsEntry,
  parseJson,
  pathsOf,
  type ResourceDefinition,
} from "@orchernetes/apimachinery";
import { everyResource, minimalObject } from "../generate/minimal-objects.ts";
import { randomObject } from "../generate/object.ts";
import type { PureTarget } from "../target.ts";
import { attempt, isClientError, isDecodeError, sameJson } from "./attempt.ts";
import { keyOf, resourceOf, strategyContext } from "./kinds.ts";

interface ApplyCase extends Readonly<Record<string, string>> {
  readonly resource: string;
  /** Configurations that two managers apply in turn. */
  readonly first: string;
  readonly second: string;
}

const trackers = new WeakMap<ResourceDefinition, FieldTracker>();

function trackerOf(definition: ResourceDefinition): FieldTracker {
  let tracker = trackers.get(definition);
  if (tracker === undefined) {
    const { schema, kind } = definition;
    tracker = fieldTracker({ schema, kind, apiVersion: apiVersionOf(definition) });
    trackers.set(definition, tracker);
  }
  return tracker;
}

// A fixed time: applying again must not differ because time has passed.
const by = (manager: string) => ({ manager, subresource: "", time: "2026-01-01T00:00:00Z" });

/**
 * Server-side apply (KEP-555): applying the same configuration again changes nothing, a manager owns what it applied,
 * and a forced apply never conflicts.
 */
export const applyTarget: PureTarget<ApplyCase> = {
  name: "apply",
  generate: (random) => {
    const definition = random.pick(everyResource);
    const config = (): string =>
      JSON.stringify(random.chance(0.2) ? minimalObject(definition, "fuzz-1") : randomObject(random, definition));
    return { resource: keyOf(definition), first: config(), second: config() };
  },
  check: ({ resource, first, second }) => {
    const definition = resourceOf(resource);
    const tracker = trackerOf(definition);
    const configs = attempt(() => [parseJson(first).value, parseJson(second).value].map(forApply), isDecodeError);
    if (!configs.ok) return undefined;
    const [one, two] = configs.value;
    if (one === undefined || two === undefined) return undefined;
    const created = attempt(() => tracker.applied(undefined, one, by("one"), false), isClientError);
    if (!created.ok) return undefined;
    const live = stored(definition, created.value.object, created.value.managedFields);
    if (live === undefined) return undefined;
    const again = tracker.applied(live, one, by("one"), false);
    if (!sameJson(stored(definition, again.object, again.managedFields), live) && isValid(definition, live))
      return "applying the same again changes the object";
    // Without force, the second manager may conflict with the first. With force it may fail only where it would fail
    // without, too.
    const other = attempt(() => tracker.applied(live, two, by("two"), false), isClientError);
    const forced = attempt(() => tracker.applied(live, two, by("two"), true), isClientError);
    if (other.ok && !forced.ok) return `forced apply fails where plain apply does not: ${forced.error.message}`;
    if (!forced.ok) return isConflict(forced.error) ? "forced apply conflicts" : undefined;
    if (!other.ok && !isConflict(other.error)) return `plain apply fails, forced does not: ${other.error.message}`;
    const both = stored(definition, forced.value.object, forced.value.managedFields);
    if (both === undefined) return undefined;
    return missingOwnership(
      forced.value.managedFields,
      tracker.applied(undefined, two, by("two"), false).managedFields,
    );
  },
};

/** A configuration as clients send it: without managedFields, which the server would reject. */
function forApply(value: unknown): JsonObject | undefined {
  if (!isObject(value)) return undefined;
  const config = cloneJson(value);
  if (isObject(config.metadata)) delete config.metadata.managedFields;
  return config;
}

/** The object as the server stores it; undefined when the schema rejects it. */
function stored(
  definition: ResourceDefinition,
  object: JsonObject,
  managedFields: readonly ManagedFieldsEntry[] | undefined,
): JsonObject | undefined {
  const merged = { ...object, metadata: { ...(isObject(object.metadata) ? object.metadata : {}), managedFields } };
  const decoded = attempt(() => decoderFor(definition.schema).decode(merged), isDecodeError);
  return decoded.ok ? (canonicalize(definition.schema, decoded.value) as unknown as JsonObject) : undefined;
}

/**
 * Whether the server would store such an object.
 *
 * Validation rejects list items that lack one of several keys. In storage such a key would be "" or 0, so the stored
 * item would not match the applied one.
 */
function isValid({ schema, strategy, applyDefaults }: ResourceDefinition, object: JsonObject): boolean {
  const draft = structuredClone(object) as unknown as Draft<ApiObject>;
  applyDefaults?.(draft);
  strategy.prepareForCreate?.(draft, strategyContext);
  return (strategy.validate?.(canonicalize(schema, draft), strategyContext) ?? []).length === 0;
}

/** Says what a manager does not own after a forced apply although it would own it as the first manager. */
function missingOwnership(
  after: readonly ManagedFieldsEntry[] | undefined,
  alone: readonly ManagedFieldsEntry[] | undefined,
): string | undefined {
  const owned = new Set(pathsOfManager(after, "two"));
  const missing = pathsOfManager(alone, "two").filter((path) => !owned.has(path));
  return missing.length === 0 ? undefined : `forced apply does not own ${missing.slice(0, 3).join(", ")}`;
}

function pathsOfManager(entries: readonly ManagedFieldsEntry[] | undefined, manager: string): readonly string[] {
  const entry = entries?.find((candidate) => candidate.manager === manager);
  return entry?.fieldsV1 === undefined ? [] : pathsOf(entry.fieldsV1 as Parameters<typeof pathsOf>[0]);
}
