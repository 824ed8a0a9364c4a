import type { FieldSelector, ResourceDefinition, Selector } from "@orchernetes/apimachinery";
import type { CacheEntry, FieldValue, LabelValue, Selection, WatchCache } from "@orchernetes/storage";

/**
 * A selection of cache entries: namespace, name, an indexed field and a label are looked up; `matches` decides about
 * the rest.
 */
export interface EntrySelection extends Selection {
  /** Whether there is no selector at all, so that the remaining items can be counted. */
  readonly unfiltered: boolean;
}

/** A selectable field of an entry; "" for one that the object does not have, as upstream's field sets. */
function fieldOf(entry: CacheEntry, path: string): string {
  if (path === "metadata.name") return entry.name;
  if (path === "metadata.namespace") return entry.namespace;
  return entry.fields[path] ?? "";
}

/** The first label for which the selector requires one value: the cache has the entries of a label in an index. */
function labelOf(labels: Selector | undefined): LabelValue | undefined {
  for (const { key, operator, values } of labels?.requirements ?? []) {
    const [value, ...others] = values;
    const exact = operator === "=" || operator === "==" || operator === "in";
    if (exact && value !== undefined && others.length === 0) return { key, value };
  }
  return undefined;
}

/**
 * Compiles selectors to a selection. Of several conditions only one index is used (the first indexed field, the first
 * label), and `matches` checks all of them: it is the truth, and indexes only make the set smaller that it has to
 * examine.
 *
 * @param target namespace and name of the path
 */
export function selectionOf(
  definition: ResourceDefinition,
  target: { readonly namespace?: string | undefined; readonly name?: string | undefined },
  labels: Selector | undefined,
  fields: FieldSelector | undefined,
): EntrySelection {
  if (labels === undefined && fields === undefined) {
    const { namespace, name } = target;
    const unfiltered = name === undefined;
    if (namespace === undefined) return name === undefined ? { unfiltered } : { name, unfiltered };
    return name === undefined ? { namespace, unfiltered } : { namespace, name, unfiltered };
  }
  const requirements = fields?.requirements ?? [];
  let fieldIndex: FieldValue | undefined;
  for (const { field, op, value } of requirements) {
    if (op === "=" && definition.indexedFields?.includes(field)) {
      fieldIndex = { field, value };
      break;
    }
  }
  const name = target.name ?? fields?.exact("metadata.name");
  const namespace = target.namespace ?? fields?.exact("metadata.namespace");
  const label = labelOf(labels);
  const filtered = labels !== undefined || requirements.length > 0;
  const matches = (entry: CacheEntry): boolean => {
    for (const { field, op, value } of requirements) {
      if ((fieldOf(entry, field) === value) !== (op === "=")) return false;
    }
    return labels === undefined || labels.matches(entry.labels);
  };
  return {
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined ? {} : { name }),
    ...(fieldIndex === undefined ? {} : { fieldIndex }),
    ...(label === undefined ? {} : { label }),
    ...(filtered ? { matches } : {}),
    unfiltered: !filtered && target.name === undefined,
  };
}

/** The selected entries of a cache, in key order. */
export function cachedEntries(cache: WatchCache, selection: EntrySelection): readonly CacheEntry[] {
  const { name, matches } = selection;
  const entries = cache.list(selection);
  if (name === undefined && matches === undefined) return entries;
  return entries.filter((entry) => (name === undefined || entry.name === name) && (matches?.(entry) ?? true));
}
