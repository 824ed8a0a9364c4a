import type { JsonObject } from "../patch/json-value.ts";
import { badRequest } from "../status/errors.ts";
import { type FieldSet, hasChildren, pathSet, union } from "./field-set.ts";
import type { FieldTrackerOptions, TrackedObject } from "./field-tracker.ts";
import type { Managers } from "./managers.ts";
import { ownedByOthers, translated } from "./translate.ts";
import { isPlain, objectOf, TypedError, type Walker } from "./walker.ts";

const text = (value: unknown): string => (typeof value === "string" ? value : "");

/** `apps/v1, Kind=Deployment`, and `/v1, Kind=Pod` for the core group. */
function kindText(apiVersion: string, kind: string): string {
  return `${apiVersion.includes("/") ? apiVersion : `/${apiVersion}`}, Kind=${kind}`;
}

/**
 * Checks an applied configuration and returns it with the types of the schema.
 *
 * @throws ApiError BadRequest
 */
export function typedPatch(options: FieldTrackerOptions, walker: Walker, patch: unknown): JsonObject {
  if (!isPlain(patch)) throw badRequest("error decoding YAML: an apply patch must be an object");
  const apiVersion = text(patch.apiVersion);
  const kind = text(patch.kind);
  if (kind !== options.kind || apiVersion !== options.apiVersion) {
    throw badRequest(`invalid object type: ${kindText(apiVersion, kind)}`);
  }
  const metadata = objectOf(patch.metadata);
  if ((metadata.managedFields ?? null) !== null) throw badRequest("metadata.managedFields must be nil");
  try {
    return walker.typed(patch, "") as JsonObject;
  } catch (error) {
    if (!(error instanceof TypedError)) throw error;
    const name = `${text(metadata.namespace)}/${text(metadata.name)}; ${kindText(apiVersion, kind)}`;
    throw badRequest(`failed to create typed patch object (${name}): ${error.message}`, { cause: error });
  }
}

/** Metadata identifies the object in every configuration, so it is never removed as a whole. */
const kept = pathSet("f:metadata");

/**
 * The live object merged with the configuration, without the fields that the applier gave up and that no other
 * manager owns.
 */
export function mergeApplied(
  options: FieldTrackerOptions,
  walker: Walker,
  live: TrackedObject,
  typed: JsonObject,
  managers: Managers,
  applier: string,
  fields: FieldSet,
): JsonObject {
  const merged = walker.merge(live, typed) as JsonObject;
  const before = managers.get(applier);
  const last = before && translated(options, merged, before.apiVersion, before.fields);
  if (last === undefined || !hasChildren(last)) return merged;
  const owned = union(union(kept, fields), ownedByOthers(options, merged, managers, applier));
  return walker.prune(merged, { last, owned, inLast: false, abandoned: false }) as JsonObject;
}
