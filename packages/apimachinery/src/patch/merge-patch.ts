import { getOwn, setOwn } from "../codec/json.ts";
import { badRequest } from "../status/errors.ts";
import { isObject, type JsonObject, shallowClone } from "./json-value.ts";

/**
 * Applies a JSON merge patch (RFC 7386): objects are merged, null removes, everything else replaces.
 *
 * @returns a new document that shares its unchanged parts with `doc`
 * @throws ApiError BadRequest when the patch is not an object
 */
export function applyMergePatch(doc: unknown, patch: unknown): JsonObject {
  if (!isObject(patch)) {
    throw badRequest(`invalid merge patch: want a JSON object, found ${kindOf(patch)}`);
  }
  return merge(doc, patch);
}

function merge(target: unknown, patch: JsonObject): JsonObject {
  const out = isObject(target) ? shallowClone(target) : {};
  for (const key in patch) {
    const value = patch[key];
    if (value === null || value === undefined) {
      delete out[key];
    } else {
      setOwn(out, key, isObject(value) ? merge(getOwn(out, key), value) : value);
    }
  }
  return out;
}

/** The JSON type of a value, for messages. */
export function kindOf(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
}
