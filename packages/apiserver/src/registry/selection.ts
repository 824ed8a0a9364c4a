import type { FieldSelector, ResourceDefinition, Selector } from "@orchernetes/apimachinery";
import type { CacheEntry, FieldValue, LabelValue, Selection, WatchCache } from "@orchernetes/storage";

/** A cache selection with what of it is beyond namespace and name. */
export interface EntrySelection extends Selection {
  /** No selector at all: remaining items can be counted. */
  readonly unfiltered: boolean;
}

function fieldOf(entry: CacheEntry, path: string): string {
  if (path === "metadata.name") return entry.name;
  if (path === "metadata.namespace") return entry.namespace;
  return entry.fields[path] ?? "";
}

/** The first label for which the selector requires one value. */
function labelOf(labels: Selector | undefined): LabelValue | undefined {
  for (const { key, operator, values } of labels?.requirements ?? []) {
    const [value, ...others] = values;
    const exact = operator === "=" || operator === "==" || operator === "in";
    if (exact && value !== undefined && others.length === 0) return { key, value };
  }
  return undefined;
}

/** Compiles selectors into what the watch cache does fast and a predicate for the rest. */
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

/** What a cache has of a selection. */
export function cachedEntries(cache: WatchCache, selection: EntrySelection): readonly CacheEntry[] {
  const { name, matches } = selection;
  const entries = cache.list(selection);
  if (name === undefined && matches === undefined) return entries;
  return entries.filter((entry) => (name === undefined || entry.name === name) && (matches?.(entry) ?? true));
}
