import { parseApiVersion } from "../resource/group-version-kind.ts";
import type { ManagedFieldsEntry } from "../resource/object-meta.ts";
import { type FieldSet, hasChildren, isFieldSet } from "./field-set.ts";

/** A manager, the operation through which it owns fields, and the fields. */
export interface Manager {
  readonly name: string;
  readonly operation: "Apply" | "Update";
  /** The version that the paths of `fields` belong to. */
  readonly apiVersion: string;
  /** "" for the object itself. */
  readonly subresource: string;
  /** RFC 3339; undefined when not known. */
  readonly time: string | undefined;
  readonly fields: FieldSet;
}

/** Managers by {@link managerKey}. */
export type Managers = ReadonlyMap<string, Manager>;

/**
 * The identity of a manager. The version is not a part of an applier's identity: it keeps its fields when it moves to
 * another version.
 */
export function managerKey(manager: Pick<Manager, "name" | "operation" | "apiVersion" | "subresource">): string {
  const version = manager.operation === "Apply" ? "" : manager.apiVersion;
  return [manager.name, manager.operation, version, manager.subresource].map((part) => JSON.stringify(part)).join();
}

type Entries = readonly ManagedFieldsEntry[] | undefined;

/**
 * Reads `metadata.managedFields`; undefined when it is not valid.
 *
 * @param trusted whether the entries are this server's own, so that their trees need no check
 */
export function readManagers(entries: Entries, trusted: boolean): Managers | undefined {
  const out = new Map<string, Manager>();
  for (const entry of entries ?? []) {
    const { manager = "", operation, apiVersion = "", fieldsType, fieldsV1, subresource = "", time } = entry;
    if (operation !== "Apply" && operation !== "Update") return undefined;
    if (apiVersion === "" || parseApiVersion(apiVersion) === undefined || fieldsType !== "FieldsV1") return undefined;
    const fields: unknown = fieldsV1 ?? {};
    if (!trusted && !isFieldSet(fields)) return undefined;
    const read: Manager = {
      name: manager,
      operation,
      apiVersion,
      subresource,
      time,
      fields: fields as FieldSet,
    };
    out.set(managerKey(read), read);
  }
  return out;
}

/** Whether a client requests that all ownership be dropped: by an empty list, or a list of one empty entry. */
export function asksReset(entries: Entries): boolean {
  if (entries?.length === 0) return true;
  if (entries?.length !== 1) return false;
  return Object.values(entries[0] ?? {}).every((value) => value === undefined || value === "");
}

/**
 * Managers in the form of `metadata.managedFields`: appliers first, older before newer, then by name. Undefined when
 * there are none.
 */
export function writeManagers(managers: Managers): ManagedFieldsEntry[] | undefined {
  const all = [...managers.values()].filter(({ fields }) => hasChildren(fields));
  if (all.length === 0) return undefined;
  if (all.length > 1) all.sort(compareManagers);
  return all.map(entryOf);
}

/** One manager as an entry of `metadata.managedFields`. */
export function entryOf(manager: Manager): ManagedFieldsEntry {
  const { name, operation, apiVersion, time, fields, subresource } = manager;
  return {
    manager: name,
    operation,
    apiVersion,
    ...(time === undefined ? {} : { time }),
    fieldsType: "FieldsV1",
    fieldsV1: fields,
    ...(subresource === "" ? {} : { subresource }),
  };
}

function compareManagers(a: Manager, b: Manager): number {
  return (
    compareText(a.operation, b.operation) ||
    compareText(a.time ?? "", b.time ?? "") ||
    compareText(a.name, b.name) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource, b.subresource)
  );
}

const compareText = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);

/** Whether two lists of entries differ in their times at most. A write that changes nothing else is not stored. */
export function equalButForTimes(a: Entries, b: Entries): boolean {
  if (a === b) return true;
  if ((a?.length ?? 0) !== (b?.length ?? 0)) return false;
  const without = (entries: Entries): string[] =>
    (entries ?? []).map((entry) => JSON.stringify({ ...entry, time: undefined })).sort();
  const others = without(b);
  return without(a).every((text, i) => text === others[i]);
}
