import {
  ApiError,
  type ApiObject,
  canonicalize,
  capabilitiesOf,
  conflict,
  type Draft,
  type FieldError,
  field,
  type GroupKind,
  invalid,
  literal,
  notFound,
  type UpdateStrategy,
  validateObjectMeta,
  validateObjectMetaUpdate,
  withErrorLimit,
} from "@orchernetes/apimachinery";
import type { ObjectRef } from "../interfaces/index.ts";
import type { BegunWrite } from "./begun-write.ts";
import { checkExtent, isBig } from "./big-write.ts";
import { createObject } from "./create.ts";
import type { EncodedObject, StoredObject } from "./object-storage.ts";
import { mergeOwnerReferences } from "./owner-references.ts";
import type { ServedVersion, WriteRequest } from "./served-version.ts";
import { nextGeneration } from "./server-fields.ts";

/** What admission sees of an object in place of the object itself, such as its scale. */
export interface AdmissionView {
  /** Returns a new object, which admission may change. */
  readonly of: (object: ApiObject) => Draft<ApiObject>;
  /** Copies the changes of mutating admission from the view to the draft. @throws ApiError Invalid */
  readonly takeOver: (draft: Draft<ApiObject>, view: Draft<ApiObject>) => void;
}

/** How an object is updated. */
export interface UpdatePlan {
  readonly ref: ObjectRef;
  /** Strategy of the endpoint; the main one's by default. */
  readonly strategy: UpdateStrategy<ApiObject>;
  /**
   * Returns the new object for the stored one (undefined: there is none); false leaves it as it is. It is called once
   * per attempt, so effects other than its result must be repeatable.
   */
  readonly produce: (current: StoredObject | undefined) => Draft<ApiObject> | false | Promise<Draft<ApiObject> | false>;
  /** Uid that the stored object must have; "" or undefined: any. */
  readonly uid?: string | undefined;
  readonly allowCreate: boolean;
  /** Called before an object is created by the update; throws to deny it. */
  readonly mayCreate?: () => Promise<void>;
  /** Skips strategy and validation. */
  readonly bare?: boolean;
  /**
   * How often to start over after a conflict with another writer when the object names no resourceVersion; beyond that,
   * 409.
   */
  readonly retries: number;
  /** Error of a missing object; by default that of the resource. */
  readonly missing?: () => ApiError;
  /** Kind that validation errors name, when not the resource's. */
  readonly kind?: GroupKind;
  /** @default admission sees the object itself */
  readonly view?: AdmissionView;
}

/** Result of an update. */
export interface UpdateOutcome {
  readonly stored: StoredObject;
  readonly created: boolean;
}

/**
 * Updates an object by compare-and-swap. It starts from the cached object, without a read of the store. If the cache
 * turns out to be stale (the commit conflicts, or an attempt fails or changes nothing), it starts over from the stored
 * one, so that errors and no-ops are only ever decided on the newest object. Upstream calls this `GuaranteedUpdate`.
 *
 * Order in each attempt: produce → mutating admission → version check → the resource's hooks → strategy → validation →
 * validating admission → commit. A write that would change nothing is not made and keeps the resourceVersion. One that
 * empties the finalizers of an object under deletion removes it.
 *
 * @throws ApiError NotFound, Conflict, Invalid, or what admission throws
 */
export async function updateObject(
  served: ServedVersion,
  plan: UpdatePlan,
  request: WriteRequest,
): Promise<UpdateOutcome> {
  const { storage } = served;
  const cached = storage.cache.isReady();
  let current = cached ? storage.peekOnce(plan.ref) : await storage.read(plan.ref, request.signal);
  let newest = !cached;
  for (let lost = 0; ; ) {
    let outcome: UpdateOutcome | "unchanged" | { readonly lostTo: StoredObject | undefined };
    try {
      outcome = await attempt(served, plan, current, request);
    } catch (error) {
      if (newest || !(error instanceof ApiError)) throw error;
      const stored = await storage.read(plan.ref, request.signal);
      newest = true;
      if (stored?.revision === current?.revision) throw error;
      current = stored;
      continue;
    }
    if (outcome === "unchanged") {
      if (!newest) {
        const stored = await storage.read(plan.ref, request.signal);
        newest = true;
        // An object that is stored in an old form is written again, although nothing in it changes: this is how storage
        // migration works.
        if (stored?.revision !== current?.revision || stored?.stale === true) {
          current = stored;
          continue;
        }
      }
      if (current === undefined) throw plan.missing?.() ?? notFound(served.resource, plan.ref.name);
      return { stored: await served.view(current, request), created: false };
    }
    if ("stored" in outcome) return outcome;
    if (++lost > plan.retries) throw conflict(served.resource, plan.ref.name);
    current = outcome.lostTo;
    newest = true;
  }
}

/**
 * One attempt to update the object `current`. `lostTo`: another writer was faster, and has stored this (undefined:
 * removed it).
 */
async function attempt(
  served: ServedVersion,
  plan: UpdatePlan,
  current: StoredObject | undefined,
  request: WriteRequest,
): Promise<UpdateOutcome | "unchanged" | { readonly lostTo: StoredObject | undefined }> {
  const { ref } = plan;
  checkUid(served, plan, current);
  if (current === undefined && !plan.allowCreate) throw plan.missing?.() ?? notFound(served.resource, ref.name);
  const bytes = Math.max(request.bytes ?? 0, current?.json.length ?? 0);
  const big = isBig(bytes);
  if (big) await served.environment.loop.nextTurn();
  const view = current === undefined || served.direct ? current : await served.view(current, request);
  const draft = await plan.produce(view);
  if (draft === false) return "unchanged";
  checkExtent(draft, bytes);
  if (big) await served.environment.loop.nextTurn();
  if (current === undefined || view === undefined) {
    await plan.mayCreate?.();
    return { stored: await createByUpdate(served, draft, request), created: true };
  }

  const old = view.object;
  const recorded = plan.bare === true ? undefined : served.fields.record(old, draft, request);
  if (recorded !== undefined) await recorded;
  if (big) await served.environment.loop.nextTurn();
  if (request.admission) await admit(served, plan, draft, old, request);
  mergeOwnerReferences(draft, request.warn, "afterAdmission");
  checkVersion(served, draft, old, ref.name);
  const hooked = served.hooked && plan.bare !== true && plan.strategy === served.definition.strategy;
  const begun = hooked ? await served.beginUpdate(draft, old, request) : undefined;
  try {
    if (plan.bare !== true) {
      await prepare(served, plan, draft, old, request, big);
      for (const warning of plan.strategy.warnings?.(draft as ApiObject, old) ?? []) request.warn(warning);
    }
    if (request.admission) await validateByAdmission(served, plan, draft, old, request);
    if (big) await served.environment.loop.nextTurn();
    return await commit(served, plan, { current, old, draft, begun }, request);
  } finally {
    await begun?.abandoned();
  }
}

/** Mutating admission of an update. */
async function admit(
  served: ServedVersion,
  { ref, view }: UpdatePlan,
  draft: Draft<ApiObject>,
  old: ApiObject,
  request: WriteRequest,
): Promise<void> {
  const { admission } = served.environment;
  const context = served.admissionContext(request);
  if (view === undefined) {
    await admission.admit(served.admissionAttributes("UPDATE", request, ref, draft, old), context);
    return;
  }
  const shown = view.of(draft as ApiObject);
  const attributes = served.admissionAttributes("UPDATE", request, ref, shown, view.of(old) as ApiObject);
  await admission.admit(attributes, context);
  view.takeOver(draft, shown);
}

/** Validating admission of an update. */
async function validateByAdmission(
  served: ServedVersion,
  { ref, view }: UpdatePlan,
  draft: Draft<ApiObject>,
  old: ApiObject,
  request: WriteRequest,
): Promise<void> {
  const shownOld = view === undefined ? old : (view.of(old) as ApiObject);
  const shown = (view === undefined ? draft : view.of(draft as ApiObject)) as ApiObject;
  const attributes = served.admissionAttributes("UPDATE", request, ref, undefined, shownOld);
  await served.environment.admission.validate({ ...attributes, object: shown }, served.admissionContext(request));
}

async function createByUpdate(
  served: ServedVersion,
  draft: Draft<ApiObject>,
  request: WriteRequest,
): Promise<StoredObject> {
  draft.metadata.resourceVersion = undefined;
  return createObject(served, draft, request);
}

/** Checks the uid that the object or the call names against the stored one. The text is upstream's. */
function checkUid(served: ServedVersion, plan: UpdatePlan, current: StoredObject | undefined): void {
  if (plan.uid === undefined || plan.uid === "") return;
  const uid = current?.object.metadata.uid ?? "";
  if (uid === plan.uid) return;
  throw conflict(
    served.resource,
    plan.ref.name,
    `StorageError: invalid object, Code: 4, Key: ${served.storage.keyOf(plan.ref)}, ResourceVersion: 0, AdditionalErrorMsg: ` +
      `Precondition failed: UID in precondition: ${plan.uid}, UID in object meta: ${uid}`,
  );
}

/**
 * Optimistic concurrency (API conventions, "Concurrency Control and Consistency"): a resourceVersion in the object must
 * be the stored one. Without one the update is unconditional, unless the kind forbids that.
 *
 * @throws ApiError Conflict, Invalid
 */
function checkVersion(served: ServedVersion, draft: Draft<ApiObject>, old: ApiObject, name: string): void {
  const version = draft.metadata.resourceVersion ?? "";
  if (version !== "" && version !== "0") {
    if (version !== old.metadata.resourceVersion) throw conflict(served.resource, name);
    return;
  }
  if (served.definition.strategy.allowUnconditionalUpdate === false) {
    const error = field.invalid("metadata.resourceVersion", literal("0x0"), "must be specified for an update");
    throw invalid({ group: served.resource.group, kind: served.resource.plural }, name, [error]);
  }
  draft.metadata.resourceVersion = old.metadata.resourceVersion;
}

/**
 * Restores what an update must not change, then calls the strategy, then validates the result (upstream:
 * `rest.BeforeUpdate`).
 *
 * A deletion cannot be undone: deletionTimestamp stays as it is stored, whatever the client sends.
 */
async function prepare(
  served: ServedVersion,
  plan: UpdatePlan,
  draft: Draft<ApiObject>,
  old: ApiObject,
  request: WriteRequest,
  big: boolean,
): Promise<void> {
  const { metadata } = draft;
  const context = served.strategyContext(request);
  metadata.generation = old.metadata.generation;
  plan.strategy.prepareForUpdate?.(draft, old, context);
  served.dropDisabledFields(draft, old);
  metadata.uid ||= old.metadata.uid;
  metadata.creationTimestamp = old.metadata.creationTimestamp;
  if (old.metadata.deletionTimestamp !== undefined) metadata.deletionTimestamp = old.metadata.deletionTimestamp;
  metadata.deletionGracePeriodSeconds ??= old.metadata.deletionGracePeriodSeconds;
  if (big) await served.environment.loop.nextTurn();
  const metadataErrors = withErrorLimit(() => metaErrors(served, metadata as ApiObject["metadata"], old));
  if (big) await served.environment.loop.nextTurn();
  const own = withErrorLimit(() => plan.strategy.validateUpdate?.(draft as ApiObject, old, context) ?? []);
  const long =
    plan.strategy.validateLong === undefined
      ? []
      : await served.validateLong(plan.strategy, draft as ApiObject, old, own, request);
  const errors = [...metadataErrors, ...own, ...long];
  if (errors.length > 0) throw invalid(plan.kind ?? served.kind, metadata.name ?? "", errors);
}

/**
 * Validates metadata as upstream does: once for every kind and once more by the kind's own rules, each time by itself
 * and compared with what is stored. The response has each cause as often as upstream's.
 */
function metaErrors(served: ServedVersion, metadata: ApiObject["metadata"], old: ApiObject): readonly FieldError[] {
  const changed = validateObjectMetaUpdate(metadata, old.metadata);
  if (changed.length === 0) return changed;
  const { standardFinalizers } = capabilitiesOf(served.definition);
  const own = validateObjectMeta(metadata, { namespaced: served.namespaced, nameFormat: "path", standardFinalizers });
  return [...own, ...changed, ...changed, ...own];
}

/** The new object, the stored one, and the hooks' part of the write. */
interface Change {
  readonly current: StoredObject;
  /** What is stored, in the version of the request. */
  readonly old: ApiObject;
  readonly draft: Draft<ApiObject>;
  readonly begun: BegunWrite | undefined;
}

/**
 * Stores the result of an attempt: as a removal if it ends the object's deletion, not at all if nothing changes or in a
 * dry run.
 */
async function commit(
  served: ServedVersion,
  plan: UpdatePlan,
  { current, old, draft, begun }: Change,
  request: WriteRequest,
): Promise<UpdateOutcome | "unchanged" | { readonly lostTo: StoredObject | undefined }> {
  const { storage } = served;
  let encoded = storage.encode(await served.form.toStored(draft as ApiObject, request));
  const generation = served.definition.strategy.generation;
  if (plan.bare !== true && generation !== undefined && !isStatusUpdate(served, plan)) {
    const written = await writtenForm(served, { current, draft }, encoded);
    if (JSON.stringify(generation(written)) !== JSON.stringify(generation(old)))
      encoded = withNextGeneration(served, current, encoded);
  }
  if (endsDeletion(served, encoded.object, current.object)) {
    if (!request.dryRun) {
      // Release what the update reserved first, then what the removed object has.
      await begun?.abandoned();
      const removed = await served.remove(plan.ref, current, request);
      if (removed.type === "conflict") return { lostTo: removed.current };
    }
    const last = storage.fromValue(encoded.value, current.revision);
    return { stored: await served.view(last, request), created: false };
  }
  if (isBig(encoded.value.length)) await served.environment.loop.nextTurn();
  encoded = served.fields.keepTimes(encoded, current);
  if (storage.same(encoded.value, current)) return "unchanged";
  if (request.dryRun) {
    await request.guard?.check(storage, false, request.signal);
    const dry = storage.fromValue(encoded.value, current.revision);
    return { stored: await served.view(dry, request), created: false };
  }
  const write = () => served.write(plan.ref, encoded, current, request);
  const result = await (begun?.commit(write) ?? write());
  if (result.type === "conflict") return { lostTo: result.current };
  await begun?.stored();
  return { stored: await served.view(result.stored, request), created: false };
}

/**
 * Whether this is an update of status. It reports about the present generation and never starts a new one, even where
 * it changes something that counts otherwise (annotations).
 */
function isStatusUpdate(served: ServedVersion, plan: UpdatePlan): boolean {
  const subresources = Object.values(served.definition.subresources ?? {});
  return subresources.some((s) => s.type === "status" && s.strategy === plan.strategy);
}

/**
 * The new object in the version of the request, to compare it with the old one. For kinds that a webhook converts, the
 * draft is used: the webhook is not called only for this.
 */
async function writtenForm(
  served: ServedVersion,
  { current, draft }: Pick<Change, "current" | "draft">,
  encoded: EncodedObject,
): Promise<ApiObject> {
  const { definition, storage } = served;
  if (served.direct) return encoded.object;
  if (definition.converter !== undefined) return canonicalize(definition.schema, draft as ApiObject) as ApiObject;
  return (await served.view(storage.fromValue(encoded.value, current.revision))).object;
}

function withNextGeneration(served: ServedVersion, current: StoredObject, { object }: EncodedObject): EncodedObject {
  const metadata = { ...object.metadata, generation: nextGeneration(current.object.metadata.generation) };
  return served.storage.encode({ ...object, metadata });
}

/** Whether the update removed the last thing that held an object under deletion. */
function endsDeletion(served: ServedVersion, object: ApiObject, old: ApiObject): boolean {
  if (old.metadata.deletionTimestamp === undefined || (old.metadata.deletionGracePeriodSeconds ?? 0) !== 0)
    return false;
  if ((object.metadata.finalizers?.length ?? 0) > 0) return false;
  return served.definition.strategy.holdsDeletion?.(object) !== true;
}
