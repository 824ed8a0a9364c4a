import { capManagers } from "./cap-managers.ts";
import type { Comparisons } from "./comparisons.ts";
import { type Conflict, conflictError } from "./conflicts.ts";
import { difference, equalSets, type FieldSet, hasChildren, intersection, union } from "./field-set.ts";
import type { Writer } from "./field-tracker.ts";
import { type Manager, type Managers, managerKey } from "./managers.ts";

/** Name of writers that send none. */
export const unknownManager = "unknown";

function identity(writer: Writer, operation: Manager["operation"], apiVersion: string): Omit<Manager, "fields"> {
  const { subresource, time } = writer;
  return { name: writer.manager || unknownManager, operation, apiVersion, subresource, time };
}

/** The key under which a writer's applied fields are kept. */
export function applierKey(writer: Writer, apiVersion: string): string {
  return managerKey(identity(writer, "Apply", apiVersion));
}

/**
 * Removes changed and removed fields from managers; managers without fields are dropped. Whoever changes a value
 * takes its ownership.
 */
function disown(managers: Managers, changes: Comparisons, except: string | undefined): Map<string, Manager> {
  const out = new Map<string, Manager>();
  for (const [key, manager] of managers) {
    if (key === except) {
      out.set(key, manager);
      continue;
    }
    const found = changes.at(manager.apiVersion);
    if (found === undefined) continue;
    const fields = difference(difference(manager.fields, found.changed), found.removed);
    if (!hasChildren(fields)) continue;
    out.set(key, fields === manager.fields ? manager : { ...manager, fields });
  }
  return out;
}

/**
 * Ownership after an update: the changed fields are the writer's, in addition to those that it owned before and did
 * not change.
 */
export function recordUpdate(managers: Managers, changes: Comparisons, writer: Writer, apiVersion: string): Managers {
  const out = disown(managers, changes, undefined);
  const { changed } = changes.own();
  if (hasChildren(changed)) {
    const self = identity(writer, "Update", apiVersion);
    const key = managerKey(self);
    const before = out.get(key);
    out.set(key, { ...self, fields: before === undefined ? changed : union(before.fields, changed) });
  }
  return capManagers(out);
}

/** One apply whose configuration has been merged. */
export interface ApplyRecord {
  readonly managers: Managers;
  readonly changes: Comparisons;
  /** The fields of the applier's configuration. */
  readonly fields: FieldSet;
  readonly writer: Writer;
  readonly apiVersion: string;
  readonly force: boolean;
  /** Fields that may be taken from others, because client-side apply stored this applier's values there. */
  readonly allowed: FieldSet | undefined;
}

/**
 * Ownership after an apply: exactly the fields of the configuration are the applier's; others keep them, too, unless
 * their values changed.
 *
 * @throws ApiError Conflict
 */
export function recordApply(record: ApplyRecord): Managers {
  const { managers, changes, fields, writer, apiVersion } = record;
  const self = identity(writer, "Apply", apiVersion);
  const key = managerKey(self);
  const conflicts = record.force ? [] : conflictsOf(managers, changes, key, record.allowed);
  if (conflicts.length > 0) throw conflictError(conflicts);

  const out = disown(managers, changes, key);
  const before = managers.get(key);
  const { changed, removed } = changes.own();
  const unchanged = !hasChildren(changed) && !hasChildren(removed);
  if (!hasChildren(fields)) out.delete(key);
  else if (before !== undefined && unchanged && before.apiVersion === apiVersion && equalSets(before.fields, fields)) {
    out.set(key, before);
  } else out.set(key, { ...self, fields });
  return out;
}

/** Fields that would change although others own them, without those that may be taken. */
function conflictsOf(
  managers: Managers,
  changes: Comparisons,
  applier: string,
  allowed: FieldSet | undefined,
): readonly Conflict[] {
  const conflicts: Conflict[] = [];
  for (const [key, manager] of managers) {
    const changed = key === applier ? undefined : changes.at(manager.apiVersion)?.changed;
    const disputed = changed === undefined ? undefined : intersection(manager.fields, changed);
    const fields = disputed === undefined ? undefined : difference(disputed, allowed);
    if (fields !== undefined && hasChildren(fields)) conflicts.push({ manager, fields });
  }
  return conflicts;
}
