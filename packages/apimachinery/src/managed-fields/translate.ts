import { walkerFor } from "./compile.ts";
import { difference, type FieldSet, leaf, union, unionOfAll } from "./field-set.ts";
import type { FieldTrackerOptions, TrackedObject } from "./field-tracker.ts";
import type { Managers } from "./managers.ts";

/**
 * Translates field paths from one version of an object to another: the paths that differ after a round trip of the object without
 * those fields. Undefined for an unknown version.
 *
 * @param object in the tracker's own version
 */
export function translated(
  options: FieldTrackerOptions,
  object: TrackedObject,
  apiVersion: string,
  fields: FieldSet,
): FieldSet | undefined {
  if (apiVersion === options.apiVersion) return fields;
  const other = options.version?.(apiVersion);
  if (other === undefined) return undefined;
  const there = walkerFor(other.schema);
  const whole = other.convert(object);
  const owned = difference(there.applied(whole) ?? leaf, fields);
  const rest = there.prune(whole, { last: fields, owned, inLast: false, abandoned: false }) as
    | TrackedObject
    | undefined;
  const out = { removed: undefined as FieldSet | undefined };
  // Both objects make the round trip, so that fields that the other version cannot express are ignored.
  const changed = walkerFor(options.schema).compare(other.restore(whole), other.restore(rest ?? {}), out);
  return union(changed ?? leaf, out.removed ?? leaf);
}

/** The fields owned by all managers except one, in the tracker's own version. */
export function ownedByOthers(
  options: FieldTrackerOptions,
  object: TrackedObject,
  managers: Managers,
  except: string,
): FieldSet {
  const byVersion = new Map<string, FieldSet[]>();
  for (const [key, { apiVersion, fields }] of managers) {
    if (key === except) continue;
    const found = byVersion.get(apiVersion);
    if (found === undefined) byVersion.set(apiVersion, [fields]);
    else found.push(fields);
  }
  const owned = [...byVersion].map(
    ([apiVersion, sets]) => translated(options, object, apiVersion, unionOfAll(sets)) ?? leaf,
  );
  return unionOfAll(owned);
}
