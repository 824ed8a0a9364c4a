import { type ApiObject, controllerOf, type Stored } from "@orchernetes/apimachinery";
import { LruMap } from "../events/lru-map.ts";

/** Levels that are compared. No kind of the API is deeper; custom resources can be as deep as their text is long. */
const maxDepth = 24;
/** Controllers whose objects are compared with each other. Lists are in the order of names, so that few are needed at a time. */
const modelCount = 256;

/**
 * The value with each of its parts that equals the part of the model at the same place replaced by that one, texts
 * included. Changes `fresh` where parts are replaced; the model is never changed.
 */
export function shareParts(model: unknown, fresh: unknown, depth = 0): unknown {
  if (model === fresh) return model;
  if (typeof fresh !== "object" || fresh === null || typeof model !== "object" || model === null) return fresh;
  if (depth === maxDepth) return fresh;
  if (Array.isArray(fresh)) return Array.isArray(model) ? shareItems(model, fresh, depth) : fresh;
  if (Array.isArray(model)) return fresh;
  const known = model as Readonly<Record<string, unknown>>;
  const members = fresh as Record<string, unknown>;
  let same = true;
  for (const key in members) {
    // Not a member but the prototype, if the model lacks it.
    if (key === "__proto__") {
      same = false;
      continue;
    }
    const other = known[key];
    const part = shareParts(other, members[key], depth + 1);
    if (part !== other) same = false;
    // Equal texts, too: it is the model's that is kept.
    else members[key] = other;
  }
  if (same) for (const key in known) if (!(key in members)) return fresh;
  return same ? model : fresh;
}

function shareItems(model: readonly unknown[], fresh: unknown[], depth: number): unknown {
  let same = model.length === fresh.length;
  for (let i = 0; i < fresh.length && i < model.length; i++) {
    const other = model[i];
    const part = shareParts(other, fresh[i], depth + 1);
    if (part !== other) same = false;
    else fresh[i] = other;
  }
  return same ? model : fresh;
}

/**
 * A function that lets an object share its parts with the cached version of it or, if there is none, with another one of the same
 * controller: pods of one template differ in little but their names. Objects without controller share with the first such one.
 */
export function createSharing<T extends ApiObject>(): (fresh: Stored<T>, cached: Stored<T> | undefined) => Stored<T> {
  const models = new LruMap<string, Stored<T>>(modelCount);
  return (fresh, cached) => {
    if (cached !== undefined) return shareParts(cached, fresh) as Stored<T>;
    const of = controllerOf(fresh)?.uid ?? "";
    const model = models.get(of);
    if (model !== undefined) return shareParts(model, fresh) as Stored<T>;
    models.set(of, fresh);
    return fresh;
  };
}
