import { type FieldSet, unionOfAll } from "./field-set.ts";
import { type Manager, type Managers, managerKey } from "./managers.ts";

/**
 * Number of updater entries that an object keeps; older ones are merged. Otherwise a client with a new name for every
 * request would let the object grow without limit.
 */
export const maxUpdateManagers = 10;
const ancientName = "ancient-changes";

/** Entries that are merged into one. */
interface Fold {
  readonly bucket: Omit<Manager, "fields" | "time">;
  time: string | undefined;
  readonly sets: FieldSet[];
}

/**
 * Merges the oldest updaters into one entry per version until no more than {@link maxUpdateManagers} are left.
 * Appliers are never merged: their fields must be known at their next apply.
 */
export function capManagers(managers: Map<string, Manager>): Managers {
  const updaters = [...managers].filter(([, { operation }]) => operation === "Update");
  let left = updaters.length;
  if (left <= maxUpdateManagers) return managers;
  updaters.sort(([aKey, a], [bKey, b]) => {
    const [aTime, bTime] = [a.time ?? "", b.time ?? ""];
    return aTime === bTime ? (aKey < bKey ? -1 : 1) : aTime < bTime ? -1 : 1;
  });
  const first = new Map<string, string>();
  const folds = new Map<string, Fold>();
  for (const [key, manager] of updaters) {
    if (left <= maxUpdateManagers) break;
    const { apiVersion } = manager;
    const firstKey = first.get(apiVersion);
    if (firstKey === undefined) {
      first.set(apiVersion, key);
      continue;
    }
    const bucket: Fold["bucket"] = { name: ancientName, operation: "Update", apiVersion, subresource: "" };
    const bucketKey = managerKey(bucket);
    if (key === bucketKey) continue;
    let fold = folds.get(bucketKey);
    if (fold === undefined) {
      const before = managers.get(bucketKey) ?? managers.get(firstKey);
      if (before === undefined) continue;
      if (!managers.has(bucketKey)) managers.delete(firstKey);
      managers.set(bucketKey, before);
      fold = { bucket, time: undefined, sets: [before.fields] };
      folds.set(bucketKey, fold);
    }
    managers.delete(key);
    fold.time = manager.time;
    fold.sets.push(manager.fields);
    left--;
  }
  // Clients may send thousands of entries: adding them one by one would be quadratic.
  for (const [key, { bucket, time, sets }] of folds) managers.set(key, { ...bucket, time, fields: unionOfAll(sets) });
  return managers;
}
