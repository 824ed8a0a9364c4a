import { type ApiObject, controllerOf, keyOf, type Selector, type Stored } from "@orchernetes/apimachinery";
import type { Informer } from "@orchernetes/client";
import type { WorkQueue } from "../queue/work-queue.ts";
import type { Expectations } from "./expectations.ts";

/** Queues objects as they come, change and go. Expectations of an object that is gone are dropped. */
export function follow<T extends ApiObject>(
  informer: Informer<T>,
  queue: WorkQueue,
  options: {
    /** Whether deletions matter to the queue. @default false */
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

export interface FollowDependentsOptions<O extends ApiObject, D extends ApiObject> {
  readonly owners: Informer<O>;
  readonly dependents: Informer<D>;
  /** The owners' kind, as references name it. @default the informer's */
  readonly kind?: string;
  /** Queues an owner whose dependent came or changed. `old`: what it was before. */
  enqueue(owner: Stored<O>, dependent: Stored<D>, old?: Stored<D>): void;
  /** By it, orphans wake the owners that may adopt them. @default orphans wake nobody */
  selectorOf?(owner: Stored<O>): Selector;
  readonly expectations?: Expectations;
  /** A dependent refers to an owner of this kind that the cache does not have. */
  ownerless?(dependent: Stored<D>): void;
}

/**
 * Wakes owners as their dependents come, change and go, and meets their expectations. A dependent that is being deleted
 * counts as gone, since it may take long to go.
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
