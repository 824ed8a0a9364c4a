import { controllerOf, controllerRef, keyOf } from "@orchernetes/apimachinery";
import { referenceTo } from "@orchernetes/client";
import { isPodActive, isPodReady } from "@orchernetes/component-helpers";
import {
  controllerIndex,
  createExpected,
  deleteExpected,
  follow,
  followDependents,
  inOrder,
  ownerIndexers,
  podFromTemplate,
} from "@orchernetes/controller";
import type { ManagerShell } from "../../shared/define-controller.ts";
import { createPodControl } from "../../shared/pod-control.ts";
import { pods as podsRef } from "../../shared/refs.ts";
import { nextAvailabilityMs, type ReplicaSetAction, type ReplicaSetState, reconcile, statusOf } from "./reconcile.ts";
import { type Pod, type ReplicaSetKind, type ReplicaSetLike, selectorOf } from "./replica-set-like.ts";

/**
 * Builds the controller of one kind of set, which maintains the number of its pods. Expectations prevent a sync from
 * creating pods again that were just created but are not in the cache yet. Many pods are created in growing batches, so
 * that a rejected pod causes few failing requests.
 */
export function buildReplicaSets(shell: ManagerShell, kind: ReplicaSetKind, workers: number): void {
  const { client, logger, recorder } = shell.context;
  const queue = shell.queue(shell.name);
  const expectations = shell.expectations();
  const control = createPodControl(client, recorder);
  const sets = shell.informer(kind.ref, ownerIndexers);
  const pods = shell.informer(podsRef, ownerIndexers);
  follow(sets, queue, { deletions: true, expectations });
  followDependents({
    owners: sets,
    dependents: pods,
    expectations,
    selectorOf: (set) => selectorOf(kind.read(set)),
    enqueue(set, pod, old) {
      queue.add(keyOf(set));
      const { minReadySeconds = 0 } = set.spec;
      // A pod that becomes available after minReadySeconds causes no event.
      if (minReadySeconds > 0 && old !== undefined && !isPodReady(old) && isPodReady(pod)) {
        queue.addAfter(keyOf(set), (minReadySeconds + 1) * 1000);
      }
    },
  });

  /** Number of active pods per node of all sets with the same controller; computed on the first call. */
  const siblingCounter = (set: ReplicaSetLike, own: readonly Pod[]): ((nodeName: string) => number) => {
    let counts: ReadonlyMap<string, number> | undefined;
    const related = (): readonly Pod[] => {
      const parent = controllerOf(set);
      if (parent === undefined) return own;
      const siblings = sets.lister.byIndex(controllerIndex, parent.uid);
      return siblings.flatMap(({ metadata }) => pods.lister.byIndex(controllerIndex, metadata.uid));
    };
    return (nodeName) => {
      counts ??= activePerNode(related());
      return counts.get(nodeName) ?? 0;
    };
  };

  shell.ownerLoop({
    queue,
    workers,
    owners: sets,
    read: kind.read,
    selectorOf,
    expectations,
    dependents: { pods: { informer: pods, isCandidate: (_, pod) => isPodActive(pod) } },
    gather: ({ owner, owned, settled }): ReplicaSetState => {
      return { set: owner, pods: owned.pods, settled, siblingsOn: siblingCounter(owner, owned.pods) };
    },
    reconcile,
    carryOut: inOrder<ReplicaSetAction, ReplicaSetState>({
      async CreatePods({ count }, { set }, key) {
        // All pods of the batch have the same JSON.
        const body = JSON.stringify(podFromTemplate(set.spec.template, set, controllerRef(kind.ref, set)));
        const owner = referenceTo(kind.ref, set);
        const { namespace = "" } = set.metadata;
        const create = () => control.create(body, namespace, owner);
        await createExpected(expectations, key, count, create, (skipped) =>
          logger.v(2)?.info("Slow start failed, leaving out the rest", { controller: shell.name, key, skipped }),
        );
      },
      DeletePods: ({ pods: doomed }, { set }, key) =>
        deleteExpected(expectations, key, doomed, (pod) => control.delete(pod, referenceTo(kind.ref, set))),
    }),
    status: ({ set, pods: mine }, failure, now) => statusOf(set, mine, failure, now),
    againMs: ({ set }, status) => nextAvailabilityMs(set, status),
  });
}

function activePerNode(pods: readonly Pod[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const pod of pods) {
    if (!isPodActive(pod) || !pod.spec.nodeName) continue;
    counts.set(pod.spec.nodeName, (counts.get(pod.spec.nodeName) ?? 0) + 1);
  }
  return counts;
}
