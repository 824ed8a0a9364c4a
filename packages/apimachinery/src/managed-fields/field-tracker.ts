import { canonicalize } from "../codec/decoder.ts";
import type { JsonObject } from "../patch/json-value.ts";
import type { ManagedFieldsEntry } from "../resource/object-meta.ts";
import type { MessageSchema } from "../schema/index.ts";
import { mergeApplied, typedPatch } from "./apply.ts";
import { Comparisons } from "./comparisons.ts";
import { walkerFor } from "./compile.ts";
import { type FieldSet, hasChildren, leaf, recursiveDifference } from "./field-set.ts";
import { allowedConflicts, withLastApplied } from "./last-applied.ts";
import { asksReset, entryOf, type Managers, readManagers, writeManagers } from "./managers.ts";
import { applierKey, recordApply, recordUpdate, unknownManager } from "./record.ts";

/** An object with metadata, as plain JSON. */
export type TrackedObject = Readonly<Record<string, unknown>>;

/** The manager of a write, its subresource and time. */
export interface Writer {
  /** "" counts as `unknown`. */
  readonly manager: string;
  /** "" for the object itself. */
  readonly subresource: string;
  /** RFC 3339 with whole seconds. */
  readonly time: string;
  /** Fields that this endpoint resets, and which therefore get no owner through it: status on the object itself, spec on its status. */
  readonly reset?: FieldSet | undefined;
}

/** The result of an apply. */
export interface Applied {
  /** The merged object, neither defaulted nor in canonical form. */
  readonly object: JsonObject;
  /** The new `metadata.managedFields`. */
  readonly managedFields: readonly ManagedFieldsEntry[] | undefined;
}

/** Conversion of objects to another version than the tracker's own. */
export interface OtherVersion {
  readonly schema: MessageSchema;
  readonly convert: (object: TrackedObject) => TrackedObject;
  /** Converts back into the tracker's own version. */
  readonly restore: (object: TrackedObject) => TrackedObject;
}

/** The kind and version whose fields a tracker tracks. */
export interface FieldTrackerOptions {
  readonly schema: MessageSchema;
  /** `apps/v1` */
  readonly apiVersion: string;
  readonly kind: string;
  /** Other versions of the kind. Fields that are managed at an unknown version lose their owner. */
  readonly version?: (apiVersion: string) => OtherVersion | undefined;
}

/** Ownership of the fields of one kind at one version (KEP-555, server-side apply). */
export interface FieldTracker {
  /**
   * Returns `metadata.managedFields` of an object that was created or updated by other means than apply: the writer becomes the only
   * owner of the fields that it changed. Entries that the client itself changed are accepted; an empty list or one empty entry removes
   * all ownership, and objects without managers keep none.
   *
   * @param before undefined: the object is new
   * @param after defaulted, with the managedFields that the client sent
   */
  readonly updated: (
    before: TrackedObject | undefined,
    after: TrackedObject,
    writer: Writer,
  ) => readonly ManagedFieldsEntry[] | undefined;
  /**
   * Applies a configuration: merges it into the live object, removes fields that this manager applied before and now
   * omits, unless they have other owners, and records ownership. A change of a field that others own is a conflict,
   * unless `force` is set. Applying the same configuration again changes nothing.
   *
   * @param live undefined: the object does not exist
   * @throws ApiError Conflict with one cause per field; BadRequest when the patch is of another kind, sets
   *   managedFields, or does not fit the schema
   */
  readonly applied: (live: TrackedObject | undefined, patch: unknown, writer: Writer, force: boolean) => Applied;
  /**
   * As `applied`, in steps that each walk the object at most a few times, for callers that must not block the event
   * loop.
   *
   * @throws ApiError as `applied` does, from `next`
   */
  readonly applying: (
    live: TrackedObject | undefined,
    patch: unknown,
    writer: Writer,
    force: boolean,
  ) => Generator<undefined, Applied>;
  /**
   * Records that a manager applied some fields, whose values are already in `after`.
   *
   * @throws ApiError Conflict
   */
  readonly recorded: (
    live: TrackedObject,
    after: TrackedObject,
    fields: FieldSet,
    writer: Writer,
    force: boolean,
  ) => readonly ManagedFieldsEntry[] | undefined;
  /** Fields that differ between two objects, apart from identity; undefined when none do. */
  readonly differences: (before: TrackedObject, after: TrackedObject) => FieldSet | undefined;
}

/** Creates the tracker of a kind at one version. It is stateless but for compiled walkers, and may be shared. */
export function fieldTracker(options: FieldTrackerOptions): FieldTracker {
  const { schema } = options;
  const walker = walkerFor(schema);
  let blank: TrackedObject | undefined;
  const empty = (): TrackedObject => {
    blank ??= canonicalize(schema, {}) as TrackedObject;
    return blank;
  };
  const comparing = (before: TrackedObject, after: TrackedObject, writer: Writer): Comparisons =>
    new Comparisons(options, before, after, writer.reset);

  const updated: FieldTracker["updated"] = (before, after, writer) => {
    const sent = entriesOf(after);
    if (before === undefined) {
      const changes = comparing(empty(), after, writer);
      if (sent === undefined || sent.length === 0) return createdBy(writer, options.apiVersion, changes.own().changed);
      return writeManagers(recordUpdate(readManagers(sent, false) ?? none, changes, writer, options.apiVersion));
    }
    const managers = managersSent(entriesOf(before), sent, writer);
    if (managers.size === 0) return undefined;
    return writeManagers(recordUpdate(managers, comparing(before, after, writer), writer, options.apiVersion));
  };

  /** The managers of the live object. An object without managers gets one for the fields from before the first apply. */
  const managersOf = (live: TrackedObject | undefined, writer: Writer): Managers => {
    const managers = readManagers(live === undefined ? undefined : entriesOf(live), true) ?? none;
    if (managers.size > 0 || live === undefined) return managers;
    const earlier = { ...writer, manager: beforeFirstApply };
    return recordUpdate(managers, comparing(empty(), live, writer), earlier, options.apiVersion);
  };

  const applying: FieldTracker["applying"] = function* (live, patch, writer, force) {
    const typed = typedPatch(options, walker, patch);
    yield;
    const managers = managersOf(live, writer);
    yield;
    const base = live ?? empty();
    const owned = walker.applied(typed) ?? leaf;
    yield;
    const fields = recursiveDifference(owned, writer.reset);
    yield;
    const applier = applierKey(writer, options.apiVersion);
    const object = mergeApplied(options, walker, base, typed, managers, applier, fields);
    const allowed = live === undefined ? undefined : allowedConflicts(options, walker, live, writer.manager);
    const changes = comparing(base, object, writer);
    yield;
    changes.own();
    yield;
    const after = recordApply({ managers, changes, fields, writer, force, allowed, apiVersion: options.apiVersion });
    yield;
    const managedFields = writeManagers(after);
    yield;
    return { object: withLastApplied(object, patch as JsonObject, writer.manager), managedFields };
  };

  return {
    updated,
    applying,
    applied: (live, patch, writer, force) => {
      const steps = applying(live, patch, writer, force);
      for (;;) {
        const step = steps.next();
        if (step.done === true) return step.value;
      }
    },
    recorded: (live, after, fields, writer, force) => {
      const managers = managersOf(live, writer);
      const changes = comparing(live, after, writer);
      const { apiVersion } = options;
      return writeManagers(recordApply({ managers, changes, fields, writer, force, allowed: undefined, apiVersion }));
    },
    differences: (before, after) => walker.compare(before, after, { removed: undefined }),
  };
}

const none: Managers = new Map();
const beforeFirstApply = "before-first-apply";

type Entries = readonly ManagedFieldsEntry[] | undefined;

function entriesOf(object: TrackedObject): Entries {
  return (object.metadata as { readonly managedFields?: Entries } | undefined)?.managedFields;
}

/**
 * The managers that an update starts from: those that the client sent, or the current ones when it sent none that are
 * valid.
 */
function managersSent(live: Entries, sent: Entries, writer: Writer): Managers {
  const present = (): Managers => readManagers(live, true) ?? none;
  // managedFields cannot be changed through a subresource.
  if (writer.subresource !== "" || sent === undefined) return present();
  if (asksReset(sent)) return none;
  const managers = readManagers(sent, false);
  return managers === undefined || managers.size === 0 ? present() : managers;
}

function createdBy(writer: Writer, apiVersion: string, changed: FieldSet): readonly ManagedFieldsEntry[] | undefined {
  if (!hasChildren(changed)) return undefined;
  const { time, subresource } = writer;
  const name = writer.manager || unknownManager;
  return [entryOf({ name, operation: "Update", apiVersion, subresource, time, fields: changed })];
}
