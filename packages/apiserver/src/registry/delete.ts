import {
  type ApiObject,
  badRequest,
  conflict,
  type Draft,
  isNotFound,
  notFound,
  type ResourceDefinition,
} from "@orchernetes/apimachinery";
import type { ObjectRef } from "../interfaces/index.ts";
import type { StoredObject } from "./object-storage.ts";
import type { ServedVersion, WriteRequest } from "./served-version.ts";
import { nextGeneration } from "./server-fields.ts";

/**
 * Finalizers of the garbage collector (API conventions, `metadata.finalizers`): remove the owner references of
 * dependents first.
 */
const orphanFinalizer = "orphan";
/** Delete the dependents first, and the owner when they are gone. */
const foregroundFinalizer = "foregroundDeletion";

/**
 * The options of a delete, as DeleteOptions of meta/v1 has them. At most one of `orphanDependents` (deprecated) and
 * `propagationPolicy` is given. Absent ones leave the decision to the kind's strategy.
 */
export interface DeleteRequest {
  readonly gracePeriodSeconds?: number | undefined;
  readonly orphanDependents?: boolean | undefined;
  readonly propagationPolicy?: "Orphan" | "Background" | "Foreground" | undefined;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string } | undefined;
}

/** Result of a delete. */
export interface DeleteOutcome {
  /** Whether the object is no longer stored (in a dry run: would not be). */
  readonly removed: boolean;
  /** The object as last stored, in the version of the request. */
  readonly stored: StoredObject;
  /** A graceful deletion is in progress, this request does not shorten it, and nothing changed. */
  readonly pending: boolean;
}

/**
 * The next step of a deletion. `pending`: a graceful deletion is in progress and this request does not shorten it.
 * `mark`: store `draft`, which carries deletionTimestamp; `thenRemove`: nothing holds the object, so that it is removed
 * right after it was marked.
 */
type Step =
  | { readonly type: "remove" }
  | { readonly type: "pending" }
  | { readonly type: "mark"; readonly draft: Draft<ApiObject>; readonly thenRemove: boolean };

/** Checks the preconditions of a delete against what is stored. @throws ApiError Conflict */
function checkPreconditions(definition: ResourceDefinition, object: ApiObject, { preconditions }: DeleteRequest): void {
  const { uid, resourceVersion, name = "" } = object.metadata;
  const kind = { group: definition.group, plural: definition.kind };
  if (preconditions?.uid !== undefined && preconditions.uid !== uid) {
    throw conflict(
      kind,
      name,
      `the UID in the precondition (${preconditions.uid}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
    );
  }
  if (preconditions?.resourceVersion !== undefined && preconditions.resourceVersion !== resourceVersion) {
    throw conflict(
      kind,
      name,
      `the ResourceVersion in the precondition (${preconditions.resourceVersion}) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`,
    );
  }
}

/**
 * Whether dependents lose this owner and stay. In order of precedence: the deprecated option, the policy, a finalizer
 * that the object has, and the default of the kind (`orphan` for kinds of old API versions). Upstream:
 * `shouldOrphanDependents`.
 */
function wantsOrphans(definition: ResourceDefinition, finalizers: readonly string[], asked: DeleteRequest): boolean {
  if (asked.orphanDependents !== undefined) return asked.orphanDependents;
  if (asked.propagationPolicy !== undefined) return asked.propagationPolicy === "Orphan";
  if (finalizers.includes(orphanFinalizer)) return true;
  if (finalizers.includes(foregroundFinalizer)) return false;
  return definition.strategy.defaultPropagation === "orphan";
}

/** Whether dependents are deleted before the object. Upstream: `shouldDeleteDependents`. */
function wantsForeground(finalizers: readonly string[], asked: DeleteRequest): boolean {
  if (asked.orphanDependents !== undefined) return false;
  if (asked.propagationPolicy !== undefined) return asked.propagationPolicy === "Foreground";
  return finalizers.includes(foregroundFinalizer) && !finalizers.includes(orphanFinalizer);
}

/**
 * The finalizers that make the garbage collector treat dependents as requested, with all others in their order.
 * Undefined if the object has them already, or if the server runs without garbage collection.
 */
function garbageFinalizers(
  served: ServedVersion,
  object: ApiObject,
  asked: DeleteRequest,
): readonly string[] | undefined {
  if (!served.environment.enableGarbageCollector) return undefined;
  const old = object.metadata.finalizers ?? [];
  const wanted = old.filter((name) => name !== orphanFinalizer && name !== foregroundFinalizer);
  if (wantsOrphans(served.definition, old, asked)) wanted.push(orphanFinalizer);
  if (wantsForeground(old, asked)) wanted.push(foregroundFinalizer);
  const kept = new Set(wanted);
  const same = wanted.length === old.length && old.every((name) => kept.has(name));
  return same ? undefined : wanted;
}

/**
 * The latest time that RFC 3339 can write, in milliseconds since 1970. A grace period may be any int64 and would exceed
 * it.
 */
const latestMs = Date.UTC(9999, 11, 31, 23, 59, 59);

/**
 * Decides about graceful deletion (upstream: `rest.BeforeDelete`). `none`: the kind knows no grace, or the object's
 * time is over. `pending`: it is being deleted, and this request changes nothing. `grace`: it may live for `seconds`,
 * until `at` (undefined: from now).
 */
function graceOf(
  served: ServedVersion,
  object: ApiObject,
  asked: DeleteRequest,
):
  | { readonly type: "none" | "pending" }
  | { readonly type: "grace"; readonly seconds: number; readonly at: Date | undefined } {
  const { decideDeletion } = served.definition.strategy;
  if (decideDeletion === undefined) return { type: "none" };
  const { deletionTimestamp, deletionGracePeriodSeconds } = object.metadata;
  if (deletionTimestamp !== undefined) {
    if (deletionGracePeriodSeconds === undefined || deletionGracePeriodSeconds === 0) return { type: "none" };
    const asks = asked.gracePeriodSeconds;
    // Once set, a grace period only gets shorter.
    if (asks === undefined || asks >= deletionGracePeriodSeconds) return { type: "pending" };
    const at = new Date(Date.parse(deletionTimestamp) + (asks - deletionGracePeriodSeconds) * 1000);
    return { type: "grace", seconds: asks, at };
  }
  const decision = decideDeletion(object, asked.gracePeriodSeconds);
  if (decision.type === "immediate") return { type: "none" };
  return { type: "grace", seconds: decision.gracePeriodSeconds, at: undefined };
}

/**
 * Decides the next step of a deletion from the object as stored, without effects. Called once more for each version of
 * the object that the commit runs into.
 *
 * A graceful deletion of a kind such as Pod has two requests: the client's sets deletionTimestamp and a grace period,
 * and the node agent's has a grace period of 0 and removes the object once its containers have stopped.
 */
function decide(served: ServedVersion, current: StoredObject, asked: DeleteRequest, now: Date): Step {
  const { object } = current;
  const { strategy } = served.definition;
  const grace = graceOf(served, object, asked);
  if (grace.type === "pending") return { type: "pending" };
  const finalizers = garbageFinalizers(served, object, asked);
  const held = (object.metadata.finalizers?.length ?? 0) > 0 || strategy.holdsDeletion?.(object) === true;
  if (grace.type === "none" && !held && finalizers === undefined) return { type: "remove" };

  const draft = current.draft();
  const { metadata } = draft;
  const wasMarked = metadata.deletionTimestamp !== undefined;
  if (finalizers !== undefined) metadata.finalizers = finalizers.length === 0 ? undefined : [...finalizers];
  if (grace.type === "grace") {
    // Keep both consistent: a later, shorter grace period is computed from them.
    const seconds = Math.min(grace.seconds, Math.floor((latestMs - now.getTime()) / 1000));
    metadata.deletionTimestamp = served.timestamp(grace.at ?? new Date(now.getTime() + seconds * 1000));
    metadata.deletionGracePeriodSeconds = seconds;
  } else if ((metadata.finalizers?.length ?? 0) > 0 || strategy.holdsDeletion?.(object) === true) {
    metadata.deletionTimestamp ??= served.timestamp(now);
    metadata.deletionGracePeriodSeconds = 0;
  } else {
    // The only finalizers were the garbage collector's, and this request asks for another policy, which needs none.
    return { type: "remove" };
  }
  if (!wasMarked) {
    if (metadata.generation) metadata.generation = nextGeneration(metadata.generation);
    strategy.prepareForDelete?.(draft);
  }
  const stays = (metadata.finalizers?.length ?? 0) > 0 || strategy.holdsDeletion?.(object) === true;
  const waits = grace.type === "grace" && grace.seconds > 0;
  return { type: "mark", draft, thenRemove: !stays && !waits };
}

/**
 * Deletes an object, immediately or in steps: a grace period and finalizers leave it marked with deletionTimestamp.
 *
 * Starts from the stored object and not from the cached one, as a stale object could have finalizers that were removed
 * since. When someone else changes the object in between, starts over with theirs. Admission is called once per uid, so
 * not again after a conflict, unless the object was deleted and created again under the same name.
 *
 * @throws ApiError NotFound, Conflict for preconditions, or what admission throws
 */
export async function deleteObject(
  served: ServedVersion,
  ref: ObjectRef,
  asked: DeleteRequest,
  request: WriteRequest,
): Promise<DeleteOutcome> {
  const { storage, environment } = served;
  const missing = () => notFound(served.resource, ref.name);
  if (ref.name === "") throw badRequest("a name is required to delete an object");
  let current = await storage.read(ref, request.signal);
  if (request.dryRun) await request.guard?.check(storage, false, request.signal);
  let admitted: string | undefined;
  for (;;) {
    if (current === undefined) throw missing();
    const shown = await served.view(current, request);
    checkPreconditions(served.definition, shown.object, asked);
    if (request.admission && admitted !== current.object.metadata.uid) {
      const target = request.ofCollection === true ? { ...ref, name: "" } : ref;
      const attributes = served.admissionAttributes("DELETE", request, target, undefined, shown.object);
      await environment.admission.run({ ...attributes, object: undefined }, served.admissionContext(request));
      admitted = current.object.metadata.uid;
    }
    const step = decide(served, current, asked, request.now);
    if (step.type === "pending") return { removed: false, stored: shown, pending: true };
    if (step.type === "mark") {
      const marked = await mark(served, ref, current, { step, asked, request });
      if (marked.type === "done") return marked.outcome;
      if (marked.type === "lost") {
        current = marked.current;
        continue;
      }
      current = marked.current;
    }
    if (request.dryRun) return { removed: true, stored: await served.view(current, request), pending: false };
    const last = step.type === "mark" ? await served.view(current, request) : shown;
    const removed = await served.remove(ref, current, request);
    // The response shows the object as it was stored last, not with the revision of its removal.
    if (removed.type === "written") return { removed: true, stored: last, pending: false };
    // Someone else, such as the node agent, has removed the marked object: it is deleted, as requested.
    if (removed.current === undefined && step.type === "mark") return { removed: true, stored: last, pending: false };
    current = removed.current;
  }
}

/** Result of {@link mark}. */
type MarkResult =
  | { readonly type: "done"; readonly outcome: DeleteOutcome }
  /** It is marked, and nothing holds it: it is to be removed next. */
  | { readonly type: "marked"; readonly current: StoredObject }
  /** Someone else changed or removed the object; `current` is what is stored now. */
  | { readonly type: "lost"; readonly current: StoredObject | undefined };

/**
 * Stores the deletion timestamp and what else marks an object that is to be deleted. Does nothing if the object is
 * marked like that already.
 */
async function mark(
  served: ServedVersion,
  ref: ObjectRef,
  current: StoredObject,
  asking: {
    readonly step: Extract<Step, { readonly type: "mark" }>;
    readonly asked: DeleteRequest;
    readonly request: WriteRequest;
  },
): Promise<MarkResult> {
  const { storage } = served;
  const { asked, request } = asking;
  const base = await served.form.current(current, request);
  const again = base === current ? asking.step : decide(served, base, asked, request.now);
  const step = again.type === "mark" ? again : asking.step;
  const done = async (removed: boolean, stored: StoredObject): Promise<MarkResult> => ({
    type: "done",
    outcome: { removed, stored: await served.view(stored, request), pending: false },
  });
  const encoded = storage.encode(step.draft as ApiObject);
  if (storage.same(encoded.value, current)) return step.thenRemove ? { type: "marked", current } : done(false, current);
  if (request.dryRun) return done(step.thenRemove, storage.fromValue(encoded.value, current.revision));
  const written = await served.write(ref, encoded, current, request);
  if (written.type === "conflict") return { type: "lost", current: written.current };
  return step.thenRemove ? { type: "marked", current: written.stored } : done(false, written.stored);
}

/**
 * Runs `work` on every item, with at most `workers` calls at the same time (`--delete-collection-workers`). Items that
 * someone else has deleted are skipped; any other error stops the rest, as upstream's deleteCollection does: what was
 * deleted before stays deleted.
 */
export async function deleteAll<T>(
  items: readonly T[],
  workers: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  let next = 0;
  let failed = false;
  const worker = async (): Promise<void> => {
    while (!failed) {
      const item = items[next++];
      if (item === undefined) return;
      try {
        await work(item);
      } catch (error) {
        if (isNotFound(error)) continue;
        failed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, Math.min(workers, items.length)) }, worker));
}
