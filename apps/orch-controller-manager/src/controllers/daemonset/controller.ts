import type { core } from "@orchernetes/api";
import { type ApiObject, isNotFound, keyOf, labelSelectorAsSelector, type Stored } from "@orchernetes/apimachinery";
import { byControllerUid, referenceTo } from "@orchernetes/client";
import {
  carryOutClaims,
  controllerOf,
  controllerRef,
  Expectations,
  planClaims,
  runWorkers,
  slowStartBatch,
  sooner,
  WorkQueue,
} from "@orchernetes/controller";
import type { ControllerContext, ControllerDescriptor } from "../../shared/context.ts";
import { keepCurrentRevision, RevisionCollision } from "../../shared/history/keep-current-revision.ts";
import { surplusRevisions } from "../../shared/history/revisions.ts";
import { createPodControl } from "../../shared/pod-control.ts";
import { controllerRevisions, daemonSets, nodes as nodesRef, pods as podsRef } from "../../shared/refs.ts";
import { semanticEqual } from "../../shared/semantic-equal.ts";
import { templateHash } from "../../shared/template-hash.ts";
import { controllerIndex, orphanIndex, podIndexers } from "../replicaset/pod-index.ts";
import { type DaemonSet, daemonPod, hashLabel, type Pod } from "./daemon-pod.ts";
import { FailureBackoff } from "./failure-backoff.ts";
import { nodeFit } from "./node-fit.ts";
import { type DaemonSetAction, type DaemonSetState, reconcile } from "./reconcile.ts";
import { statusOf } from "./status.ts";

/** Keeps one pod of each DaemonSet on every node that fits. */
export const daemonSetController: ControllerDescriptor = {
  name: "daemonset",
  serviceAccount: "daemon-set-controller",
  eventSource: "daemonset-controller",
  enabledByDefault: true,
  start: run,
};

const workers = 2;
const collectMs = 60_000;

/** The backoff is reset for a new generation of the set. */
const failureKey = ({ metadata, status }: DaemonSet, nodeName: string): string =>
  `${metadata.uid}/${status?.observedGeneration}/${nodeName}`;

async function run(context: ControllerContext): Promise<void> {
  const { client, clock, logger, recorder, signal } = context;
  const queue = new WorkQueue({ name: "daemonset", clock, metrics: context.queueMetrics });
  const expectations = new Expectations(clock);
  const control = createPodControl(client, recorder);
  const failures = new FailureBackoff(clock);
  const collecting = clock.setInterval(() => failures.collect(), collectMs);
  signal.addEventListener("abort", () => collecting.clear(), { once: true });
  const sets = context.informers.informer(daemonSets);
  const pods = context.informers.informer(podsRef, podIndexers);
  const nodes = context.informers.informer(nodesRef);
  const revisions = context.informers.informer(controllerRevisions, {
    [controllerIndex]: byControllerUid,
    [orphanIndex]: (revision) => (controllerOf(revision) === undefined ? revision.metadata.namespace : undefined),
  });

  const enqueue = (set: ApiObject): void => queue.add(keyOf(set));
  const ownerOf = (object: ApiObject): DaemonSet | undefined => {
    const ref = controllerOf(object);
    if (ref?.kind !== "DaemonSet") return undefined;
    const set = sets.lister.get(object.metadata.namespace ?? "", ref.name);
    return set?.metadata.uid === ref.uid ? set : undefined;
  };
  const podGone = (pod: Pod): void => {
    const set = ownerOf(pod);
    if (set === undefined) return;
    expectations.deletionObserved(keyOf(set), pod.metadata.uid);
    enqueue(set);
  };
  const podSeen = (pod: Pod): void => {
    if (controllerOf(pod) === undefined) {
      for (const set of sets.lister.list(pod.metadata.namespace ?? "")) {
        if (labelSelectorAsSelector(set.spec.selector).matches(pod.metadata.labels)) enqueue(set);
      }
      return;
    }
    const set = ownerOf(pod);
    if (set !== undefined) enqueue(set);
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
      const set = ownerOf(pod);
      if (set !== undefined) expectations.creationObserved(keyOf(set));
      podSeen(pod);
    },
    onUpdate(old, pod) {
      if (controllerOf(old)?.uid !== controllerOf(pod)?.uid) podGone(old);
      if (pod.metadata.deletionTimestamp !== undefined) podGone(pod);
      else podSeen(pod);
    },
    onDelete: podGone,
  });
  const nodeChanged = (node: Stored<core.Node>, old?: Stored<core.Node>): void => {
    for (const set of sets.lister.list()) {
      const { spec } = set.spec.template;
      const after = nodeFit(spec, node);
      const before = old === undefined ? { shouldRun: false, mayStay: true } : nodeFit(spec, old);
      if (!semanticEqual(before, after)) enqueue(set);
    }
  };
  nodes.addHandler({
    onAdd: (node) => nodeChanged(node),
    onUpdate(old, node) {
      // Most updates are heartbeats, which change neither.
      const same =
        semanticEqual(old.metadata.labels, node.metadata.labels) && semanticEqual(old.spec?.taints, node.spec?.taints);
      if (!same) nodeChanged(node, old);
    },
    onDelete() {
      for (const set of sets.lister.list()) enqueue(set);
    },
  });

  const createPods = async (set: DaemonSet, key: string, hash: string, nodeNames: readonly string[]): Promise<void> => {
    const reference = referenceTo(daemonSets, set);
    expectations.expectCreations(key, nodeNames.length);
    const { skipped, error } = await slowStartBatch(nodeNames.length, async (i) => {
      try {
        await control.create(daemonPod(set, hash, nodeNames[i] ?? ""), reference);
      } catch (failure) {
        expectations.creationObserved(key);
        throw failure;
      }
    });
    expectations.creationObserved(key, skipped);
    if (error !== undefined) throw error;
  };
  const deletePods = async (set: DaemonSet, key: string, doomed: readonly Pod[]): Promise<void> => {
    const reference = referenceTo(daemonSets, set);
    expectations.expectDeletions(
      key,
      doomed.map(({ metadata }) => metadata.uid),
    );
    const deletions = doomed.map(async (pod) => {
      try {
        await control.delete(pod, reference);
      } catch (failure) {
        expectations.deletionObserved(key, pod.metadata.uid);
        throw failure;
      }
      if (pod.status.phase === "Failed" && pod.spec.nodeName) failures.next(failureKey(set, pod.spec.nodeName));
    });
    const failed = (await Promise.allSettled(deletions)).find((result) => result.status === "rejected");
    if (failed !== undefined) throw failed.reason;
  };
  const act = async (action: DaemonSetAction, set: DaemonSet, key: string, hash: string): Promise<void> => {
    switch (action.type) {
      case "CreatePods":
        return createPods(set, key, hash, action.nodeNames);
      case "DeletePods":
        return deletePods(set, key, action.pods);
      case "Warn":
        recorder.event(referenceTo(daemonSets, set), "Warning", action.reason, action.message);
    }
  };

  const sync = async (key: string): Promise<number | undefined> => {
    const set = sets.lister.byKey(key);
    if (set === undefined) {
      expectations.delete(key);
      return undefined;
    }
    const selector = labelSelectorAsSelector(set.spec.selector);
    if (selector.empty) {
      const message = "This daemon set is selecting all pods. A non-empty selector is required.";
      recorder.event(referenceTo(daemonSets, set), "Warning", "SelectingAll", message);
      return undefined;
    }
    if (set.metadata.deletionTimestamp !== undefined) return undefined;
    const { namespace = "", uid } = set.metadata;
    const claim = { client, ownerRef: daemonSets, owner: set };
    const history = await carryOutClaims(
      planClaims(set, selector, [
        ...revisions.lister.byIndex(controllerIndex, uid),
        ...revisions.lister.byIndex(orphanIndex, namespace),
      ]),
      { ...claim, ref: controllerRevisions },
    );
    const collisionCount = set.status?.collisionCount ?? 0;
    const template = set.spec.template;
    const ref = controllerRef(daemonSets, set);
    const owner = { object: set, ref, template, collisionCount, hashLabel, hashOf: templateHash };
    const current = await keepCurrentRevision(client, owner, history).catch(async (error: unknown) => {
      if (error instanceof RevisionCollision) {
        const status = { ...set.status, collisionCount: collisionCount + 1 };
        await client.resource(daemonSets).updateStatus({ ...set, status });
      }
      throw error;
    });
    const hash = current.metadata.labels?.[hashLabel] ?? "";
    const mine = await carryOutClaims(
      planClaims(set, selector, [
        ...pods.lister.byIndex(controllerIndex, uid),
        ...pods.lister.byIndex(orphanIndex, namespace),
      ]),
      { ...claim, ref: podsRef },
    );
    const backoffMs = (nodeName: string): number => failures.leftMs(failureKey(set, nodeName));
    const state: DaemonSetState = { set, nodes: nodes.lister.list(), pods: mine, hash, backoffMs };
    let failure: unknown;
    let waitMs: number | undefined;
    if (expectations.satisfied(key)) {
      const plan = reconcile(state, clock.now());
      waitMs = plan.requeueAfterMs;
      try {
        for (const action of plan.actions) await act(action, set, key, hash);
      } catch (error) {
        failure = error;
      }
    }
    const status = statusOf(state, clock.now());
    if (status !== set.status) await client.resource(daemonSets).updateStatus({ ...set, status });
    if (failure !== undefined) throw failure;
    const live = new Set(mine.map(({ metadata }) => metadata.labels?.[hashLabel]));
    const surplus = surplusRevisions(
      history,
      ({ metadata }) => metadata.uid === current.metadata.uid || live.has(metadata.labels?.[hashLabel]),
      set.spec.revisionHistoryLimit ?? 10,
    );
    for (const { metadata } of surplus) {
      const deleting = client.resource(controllerRevisions).namespace(namespace).delete(metadata.name);
      await deleting.catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
    }
    const { minReadySeconds = 0 } = set.spec;
    const pending = minReadySeconds > 0 && status.numberReady !== (status.numberAvailable ?? 0);
    return sooner(sooner(waitMs, pending ? minReadySeconds * 1000 : undefined), expectations.expiresInMs(key));
  };

  await Promise.all([sets, pods, nodes, revisions].map((informer) => informer.waitForSync(signal)));
  await runWorkers({ name: "daemonset", queue, workers, sync, signal, logger, clock });
}
