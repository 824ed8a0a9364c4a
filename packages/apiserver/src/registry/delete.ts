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

const orphanFinalizer = "orphan";
const foregroundFinalizer = "foregroundDeletion";

/** The options of a delete. */
export interface DeleteRequest {
  readonly gracePeriodSeconds?: number | undefined;
  readonly orphanDependents?: boolean | undefined;
  readonly propagationPolicy?: "Orphan" | "Background" | "Foreground" | undefined;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string } | undefined;
}

/** Result of a delete. */
export interface DeleteOutcome {
  readonly removed: boolean;
  readonly stored: StoredObject;
  /** The object was already on its way out and nothing changed. */
  readonly pending: boolean;
}

/** What to do with an object that is to be deleted. */
type Step =
  | { readonly type: "remove" }
  | { readonly type: "pending" }
  | { readonly type: "mark"; readonly draft: Draft<ApiObject>; readonly thenRemove: boolean };

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

function wantsOrphans(definition: ResourceDefinition, finalizers: readonly string[], asked: DeleteRequest): boolean {
  if (asked.orphanDependents !== undefined) return asked.orphanDependents;
  if (asked.propagationPolicy !== undefined) return asked.propagationPolicy === "Orphan";
  if (finalizers.includes(orphanFinalizer)) return true;
  if (finalizers.includes(foregroundFinalizer)) return false;
  return definition.strategy.defaultPropagation === "orphan";
}

function wantsForeground(finalizers: readonly string[], asked: DeleteRequest): boolean {
  if (asked.orphanDependents !== undefined) return false;
  if (asked.propagationPolicy !== undefined) return asked.propagationPolicy === "Foreground";
  return finalizers.includes(foregroundFinalizer) && !finalizers.includes(orphanFinalizer);
}

/** The finalizers that make the garbage collector treat dependents as requested; undefined when they are set already. */
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

/** The latest representable time. */
const latestMs = Date.UTC(9999, 11, 31, 23, 59, 59);

/** How long an object may still live, as one graceful step; undefined when its kind knows no grace. */
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
    // The only finalizers were the garbage collector's, and the client wants them removed.
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
 * Deletes an object, at once or in steps: a grace period and finalizers leave it marked with deletionTimestamp.
 *
 * @param admit called before every attempt, with the object as stored
 * @throws ApiError NotFound, Conflict for preconditions, or what admission says
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
  let admitted: string | undefined;
  for (;;) {
    if (current === undefined) throw missing();
    const shown = await served.view(current, request);
    checkPreconditions(served.definition, shown.object, asked);
    if (request.admission && admitted !== current.object.metadata.uid) {
      const attributes = served.admissionAttributes("DELETE", request, ref, undefined, shown.object);
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
    const removed = await served.remove(ref, current);
    // The answer shows the object as it was stored last, not the revision of its removal.
    if (removed.type === "written") return { removed: true, stored: last, pending: false };
    // The node agent was faster: the object is deleted, as requested.
    if (removed.current === undefined && step.type === "mark") return { removed: true, stored: last, pending: false };
    current = removed.current;
  }
}

type MarkResult =
  | { readonly type: "done"; readonly outcome: DeleteOutcome }
  /** It is marked, and nothing holds it. */
  | { readonly type: "marked"; readonly current: StoredObject }
  /** Someone else was faster. */
  | { readonly type: "lost"; readonly current: StoredObject | undefined };

/** Stores the deletion timestamp and what else marks an object that is to be deleted. */
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
  const written = await storage.write(ref, encoded, current);
  if (written.type === "conflict") return { type: "lost", current: written.current };
  return step.thenRemove ? { type: "marked", current: written.stored } : done(false, written.stored);
}

/** Runs `work` on every item, at most `workers` at once; the first error other than NotFound stops the rest. */
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
