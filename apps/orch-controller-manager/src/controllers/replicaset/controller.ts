import { type ApiObject, hasNamespaceTerminatingCause, isNotFound, keyOf } from "@orchernetes/apimachinery";
import { byControllerUid, referenceTo, resourcePath } from "@orchernetes/client";
import {
  carryOutClaims,
  controllerOf,
  controllerRef,
  Expectations,
  isPodActive,
  isPodReady,
  planClaims,
  podFromTemplate,
  runWorkers,
  slowStartBatch,
  sooner,
  WorkQueue,
} from "@orchernetes/controller";
import type { ControllerContext } from "../../shared/context.ts";
import { pods as podsRef } from "../../shared/refs.ts";
import { controllerIndex, orphanIndex, podIndexers } from "./pod-index.ts";
import { nextAvailabilityMs, type ReplicaSetAction, reconcile, statusOf } from "./reconcile.ts";
import { type Pod, type ReplicaSetKind, type ReplicaSetLike, selectorOf } from "./replica-set-like.ts";

/** Keeps the number of pods of every set of one kind as its spec says. */
export async function runReplicaSets(kind: ReplicaSetKind, workers: number, context: ControllerContext): Promise<void> {
  const { client, clock, logger, recorder, signal } = context;
  const queue = new WorkQueue({ name: kind.name, clock, metrics: context.queueMetrics });
  const expectations = new Expectations(clock);
  const sets = context.informers.informer(kind.ref, { [controllerIndex]: byControllerUid });
  const pods = context.informers.informer(podsRef, podIndexers);

  const ownerOf = (pod: Pod): ReplicaSetLike | undefined => {
    const ref = controllerOf(pod);
    if (ref?.kind !== kind.ref.kind) return undefined;
    const set = sets.lister.get(pod.metadata.namespace ?? "", ref.name);
    return set?.metadata.uid === ref.uid ? set : undefined;
  };
  const enqueue = (set: ApiObject): void => queue.add(keyOf(set));
  const enqueueMatching = (pod: Pod): void => {
    for (const set of sets.lister.list(pod.metadata.namespace ?? "")) {
      if (selectorOf(kind.read(set)).matches(pod.metadata.labels)) enqueue(set);
    }
  };
  const podGone = (pod: Pod): void => {
    const set = ownerOf(pod);
    if (set === undefined) return;
    expectations.deletionObserved(keyOf(set), pod.metadata.uid);
    enqueue(set);
  };
  sets.addHandler({
    onAdd: enqueue,
    onUpdate: (_, set) => enqueue(set),
    onDelete(set) {
      expectations.delete(keyOf(set));
      enqueue(set);
    },
  });
  pods.addHandler({
    onAdd(pod) {
      if (pod.metadata.deletionTimestamp !== undefined) {
        podGone(pod);
        return;
      }
      if (controllerOf(pod) === undefined) {
        enqueueMatching(pod);
        return;
      }
      const set = ownerOf(pod);
      if (set === undefined) return;
      expectations.creationObserved(keyOf(set));
      enqueue(set);
    },
    onUpdate(old, pod) {
      // A pod on its way out no longer counts, although it may take long to go.
      if (pod.metadata.deletionTimestamp !== undefined) {
        podGone(pod);
        return;
      }
      const oldOwner = controllerOf(old);
      const owner = controllerOf(pod);
      const moved = oldOwner?.uid !== owner?.uid;
      if (moved && oldOwner !== undefined) {
        const set = ownerOf(old);
        if (set !== undefined) enqueue(set);
      }
      if (owner === undefined) {
        if (moved || old.metadata.labels !== pod.metadata.labels) enqueueMatching(pod);
        return;
      }
      const set = ownerOf(pod);
      if (set === undefined) return;
      enqueue(set);
      const { minReadySeconds = 0 } = set.spec;
      // Becoming available makes no event of its own.
      if (minReadySeconds > 0 && !isPodReady(old) && isPodReady(pod)) {
        queue.addAfter(keyOf(set), (minReadySeconds + 1) * 1000);
      }
    },
    onDelete: podGone,
  });

  /** Active pods of all sets with the same controller, per node. */
  const siblingCounter = (set: ReplicaSetLike, own: readonly Pod[]): ((nodeName: string) => number) => {
    let counts: Map<string, number> | undefined;
    return (nodeName) => {
      if (counts === undefined) {
        counts = new Map();
        const parent = controllerOf(set);
        const related =
          parent === undefined
            ? own
            : sets.lister
                .byIndex(controllerIndex, parent.uid)
                .flatMap(({ metadata }) => pods.lister.byIndex(controllerIndex, metadata.uid));
        for (const pod of related) {
          if (!isPodActive(pod) || !pod.spec.nodeName) continue;
          counts.set(pod.spec.nodeName, (counts.get(pod.spec.nodeName) ?? 0) + 1);
        }
      }
      return counts.get(nodeName) ?? 0;
    };
  };

  const createPods = async (set: ReplicaSetLike, key: string, count: number): Promise<void> => {
    const { namespace } = set.metadata;
    const pod = podFromTemplate(set.spec.template, set, controllerRef(kind.ref, set));
    // All pods of the batch are the same bytes.
    const body = JSON.stringify(pod);
    const path = resourcePath(podsRef, namespace);
    const reference = referenceTo(kind.ref, set);
    expectations.expectCreations(key, count);
    const { skipped, error } = await slowStartBatch(count, async () => {
      try {
        const made = (await client.request({ method: "POST", path, body })) as Pod;
        recorder.event(reference, "Normal", "SuccessfulCreate", `Created pod: ${made.metadata.name}`);
      } catch (failure) {
        // Also after a timeout, although the pod may have been created: a surplus pod is deleted, but waiting would stall the set.
        expectations.creationObserved(key);
        if (!hasNamespaceTerminatingCause(failure)) {
          const message = failure instanceof Error ? failure.message : String(failure);
          recorder.event(reference, "Warning", "FailedCreate", `Error creating: ${message}`);
        }
        throw failure;
      }
    });
    if (skipped > 0) {
      logger.v(2)?.info("Slow start failed, leaving out the rest", { controller: kind.name, key, skipped });
      expectations.creationObserved(key, skipped);
    }
    if (error !== undefined) throw error;
  };

  const deletePods = async (set: ReplicaSetLike, key: string, doomed: readonly Pod[]): Promise<void> => {
    const reference = referenceTo(kind.ref, set);
    const resource = client.resource(podsRef).namespace(set.metadata.namespace ?? "");
    expectations.expectDeletions(
      key,
      doomed.map(({ metadata }) => metadata.uid),
    );
    const results = await Promise.allSettled(
      doomed.map(async ({ metadata: { name, uid } }) => {
        try {
          await resource.delete(name, { preconditions: { uid } });
          recorder.event(reference, "Normal", "SuccessfulDelete", `Deleted pod: ${name}`);
        } catch (error) {
          expectations.deletionObserved(key, uid);
          if (isNotFound(error)) return;
          const message = error instanceof Error ? error.message : String(error);
          recorder.event(reference, "Warning", "FailedDelete", `Error deleting: ${message}`);
          throw error;
        }
      }),
    );
    const failed = results.find((result) => result.status === "rejected");
    if (failed !== undefined) throw failed.reason;
  };

  const carryOut = async (actions: readonly ReplicaSetAction[], set: ReplicaSetLike, key: string): Promise<void> => {
    for (const action of actions) {
      switch (action.type) {
        case "CreatePods":
          await createPods(set, key, action.count);
          break;
        case "DeletePods":
          await deletePods(set, key, action.pods);
          break;
      }
    }
  };

  const sync = async (key: string): Promise<number | undefined> => {
    const cached = sets.lister.byKey(key);
    if (cached === undefined) {
      expectations.delete(key);
      return undefined;
    }
    const set = kind.read(cached);
    const settled = expectations.satisfied(key);
    const candidates = [
      ...pods.lister.byIndex(controllerIndex, set.metadata.uid),
      ...pods.lister.byIndex(orphanIndex, set.metadata.namespace ?? ""),
    ].filter(isPodActive);
    const claims = planClaims(set, selectorOf(set), candidates);
    const mine = await carryOutClaims(claims, { client, ownerRef: kind.ref, owner: set, ref: podsRef });
    const state = { set, pods: mine, settled, siblingsOn: siblingCounter(set, mine) };
    let failure: unknown;
    try {
      await carryOut(reconcile(state, clock.now()).actions, set, key);
    } catch (error) {
      failure = error;
    }
    const status = statusOf(set, mine, failure, clock.now());
    if (status !== set.status) {
      await client.resource(kind.ref).updateStatus({ ...cached, status });
    }
    if (failure !== undefined) throw failure;
    return sooner(nextAvailabilityMs(set, status), expectations.expiresInMs(key));
  };

  await Promise.all([sets.waitForSync(signal), pods.waitForSync(signal)]);
  await runWorkers({ name: kind.name, queue, workers, sync, signal, logger, clock });
}
