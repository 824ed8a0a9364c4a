import { type ApiObject, controllerOf, keyOf, type Selector, type Stored } from "@orchernetes/apimachinery";
import type { Informer } from "@orchernetes/client";
import type { WorkQueue } from "../queue/work-queue.ts";
import type { Expectations } from "./expectations.ts";

/** Enqueues objects that are added, updated or deleted. The expectations of a deleted object are dropped. */
export function follow<T extends ApiObject>(
  informer: Informer<T>,
  queue: WorkQueue,
  options: {
    /** Whether deleted objects are enqueued. @default false */
    readonly deletions?: boolean;
    readonly expectations?: Expectations;
  } = {},
): void {
  const { deletions = false, expectations } = options;
  informer.addHandler({
    onAdd: (object) => queue.add(keyOf(object)),
    onUpdate: (_, object) => queue.add(keyOf(object)),
    onDelete(object) {
      expectations?.delete(keyOf(object));
      if (deletions) queue.add(keyOf(object));
    },
  });
}

/** How events of dependents are mapped to their owners. */
export interface FollowDependentsOptions<O extends ApiObject, D extends ApiObject> {
  readonly owners: Informer<O>;
  readonly dependents: Informer<D>;
  /** The kind of the owners in owner references. @default that of the informer */
  readonly kind?: string;
  /** Enqueues an owner whose dependent was added, updated or deleted. `old` is the dependent before an update. */
  enqueue(owner: Stored<O>, dependent: Stored<D>, old?: Stored<D>): void;
  /** The selector of an owner: orphans that it matches enqueue the owner, which may adopt them. @default orphans enqueue no owner */
  selectorOf?(owner: Stored<O>): Selector;
  readonly expectations?: Expectations;
  /** Called for a dependent whose owner of this kind is not in the cache. */
  ownerless?(dependent: Stored<D>): void;
}

/**
 * Enqueues owners when their dependents are added, updated or deleted, and meets their expectations. A dependent with a
 * deletionTimestamp counts as deleted, because its finalizers and grace period may take long.
 */
export function followDependents<O extends ApiObject, D extends ApiObject>(
  options: FollowDependentsOptions<O, D>,
): void {
  const { owners, dependents, kind = owners.ref.kind, enqueue, selectorOf, expectations, ownerless } = options;

  const ownerOf = (dependent: Stored<D>): Stored<O> | undefined => {
    const ref = controllerOf(dependent);
    if (ref?.kind !== kind) return undefined;
    const owner = owners.lister.get(dependent.metadata.namespace ?? "", ref.name);
    if (owner?.metadata.uid === ref.uid) return owner;
    ownerless?.(dependent);
    return undefined;
  };
  const wakeMatching = (orphan: Stored<D>): void => {
    if (selectorOf === undefined) return;
    for (const owner of owners.lister.list(orphan.metadata.namespace ?? "")) {
      if (selectorOf(owner).matches(orphan.metadata.labels)) enqueue(owner, orphan);
    }
  };
  const gone = (dependent: Stored<D>): void => {
    const owner = ownerOf(dependent);
    if (owner === undefined) return;
    expectations?.deletionObserved(keyOf(owner), dependent.metadata.uid);
    enqueue(owner, dependent);
  };
  dependents.addHandler({
    onAdd(dependent) {
      const isGone = dependent.metadata.deletionTimestamp !== undefined;
      if (!isGone && controllerOf(dependent) === undefined) return wakeMatching(dependent);
      const owner = ownerOf(dependent);
      if (owner === undefined) return;
      // A list after a lost watch may show it for the first time when it is being deleted already.
      expectations?.creationObserved(keyOf(owner));
      if (isGone) expectations?.deletionObserved(keyOf(owner), dependent.metadata.uid);
      enqueue(owner, dependent);
    },
    onUpdate(old, dependent) {
      if (dependent.metadata.deletionTimestamp !== undefined) return gone(dependent);
      const moved = controllerOf(old)?.uid !== controllerOf(dependent)?.uid;
      if (moved) {
        const loser = ownerOf(old);
        if (loser !== undefined) enqueue(loser, old);
      }
      if (controllerOf(dependent) === undefined) {
        if (moved || old.metadata.labels !== dependent.metadata.labels) wakeMatching(dependent);
        return;
      }
      const owner = ownerOf(dependent);
      if (owner !== undefined) enqueue(owner, dependent, old);
    },
    onDelete: gone,
  });
}
