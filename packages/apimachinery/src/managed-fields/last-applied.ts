import { parseJson } from "../codec/json.ts";
import type { JsonObject } from "../patch/json-value.ts";
import { difference, type FieldSet } from "./field-set.ts";
import type { FieldTrackerOptions, TrackedObject } from "./field-tracker.ts";
import { isPlain, objectOf, type Walker } from "./walker.ts";

/** Command-line clients with client-side apply, and the annotation in which each stores the applied configuration. */
const annotations: ReadonlyMap<string, string> = new Map([
  ["orchctl", "orchctl.orchernetes.io/last-applied-configuration"],
  ["kubectl", "kubectl.kubernetes.io/last-applied-configuration"],
]);
/** The annotations in which clients store what they applied: the whole object, which is of no use in another one. */
export const lastAppliedAnnotations: readonly string[] = [...annotations.values()];

/** Limit of all annotations of an object in bytes (API conventions); beyond it the object could not be stored. */
const maxAnnotationBytes = 256 * 1024;

function annotationsOf(object: TrackedObject): Readonly<Record<string, unknown>> {
  return objectOf(objectOf(object.metadata).annotations);
}

/**
 * The fields that a client may take from other managers without force when it migrates from client-side to
 * server-side apply: those whose current values it set itself under the name of another manager (KEP-555).
 */
export function allowedConflicts(
  { apiVersion }: FieldTrackerOptions,
  walker: Walker,
  live: TrackedObject,
  manager: string,
): FieldSet | undefined {
  const annotation = annotations.get(manager);
  if (annotation === undefined) return undefined;
  const recorded = annotationsOf(live)[annotation];
  if (typeof recorded !== "string" || recorded === "") return undefined;
  try {
    const document = parseJson(recorded).value;
    if (!isPlain(document) || document.apiVersion !== apiVersion) return undefined;
    const last = walker.typed(document, "");
    const out = { removed: undefined as FieldSet | undefined };
    const changed = walker.compare(last, live, out);
    return difference(difference(walker.applied(last) ?? {}, changed), out.removed);
  } catch {
    // The annotation is client input; one that cannot be parsed allows nothing.
    return undefined;
  }
}

/**
 * Updates the annotation of client-side apply, if there is one, to the applied configuration, so that the client can
 * return to client-side apply.
 */
export function withLastApplied(object: JsonObject, patch: JsonObject, manager: string): JsonObject {
  const annotation = annotations.get(manager);
  if (annotation === undefined || !Object.hasOwn(annotationsOf(object), annotation)) return object;
  const applied = `${JSON.stringify(sortedJson(withoutAnnotation(patch, annotation)))}\n`;
  const rest: Record<string, unknown> = { ...annotationsOf(object), [annotation]: applied };
  const size = Object.entries(rest).reduce((sum, [key, value]) => sum + Buffer.byteLength(key + String(value)), 0);
  if (size > maxAnnotationBytes) delete rest[annotation];
  return { ...object, metadata: { ...objectOf(object.metadata), annotations: rest } };
}

function withoutAnnotation(patch: JsonObject, annotation: string): JsonObject {
  const own = annotationsOf(patch);
  if (!Object.hasOwn(own, annotation)) return patch;
  const { [annotation]: _gone, ...rest } = own;
  return { ...patch, metadata: { ...objectOf(patch.metadata), annotations: rest } };
}

function sortedJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedJson);
  if (!isPlain(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sortedJson(value[key])]),
  );
}
