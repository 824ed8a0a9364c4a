import { union } from "./field-set.ts";
import { type Manager, type Managers, managerKey } from "./managers.ts";

/** Entries of updaters that an object keeps; older ones are folded together. */
export const maxUpdateManagers = 10;
const ancientName = "ancient-changes";

/** Folds the oldest updaters into one entry per version until no more than {@link maxUpdateManagers} are left. */
export function capManagers(managers: Map<string, Manager>): Managers {
  const updaters = [...managers].filter(([, { operation }]) => operation === "Update");
  let left = updaters.length;
  if (left <= maxUpdateManagers) return managers;
  updaters.sort(([aKey, a], [bKey, b]) => {
    const [aTime, bTime] = [a.time ?? "", b.time ?? ""];
    return aTime === bTime ? (aKey < bKey ? -1 : 1) : aTime < bTime ? -1 : 1;
  });
  const first = new Map<string, string>();
  for (const [key, manager] of updaters) {
    if (left <= maxUpdateManagers) break;
    const { apiVersion } = manager;
    const firstKey = first.get(apiVersion);
    if (firstKey === undefined) {
      first.set(apiVersion, key);
      continue;
    }
    const bucket: Omit<Manager, "fields" | "time"> = {
      name: ancientName,
      operation: "Update",
      apiVersion,
      subresource: "",
    };
    const bucketKey = managerKey(bucket);
    const before = managers.get(bucketKey) ?? managers.get(firstKey);
    if (before === undefined || key === bucketKey) continue;
    if (!managers.has(bucketKey)) managers.delete(firstKey);
    managers.delete(key);
    managers.set(bucketKey, { ...bucket, time: manager.time, fields: union(before.fields, manager.fields) });
    left--;
  }
  return managers;
}
