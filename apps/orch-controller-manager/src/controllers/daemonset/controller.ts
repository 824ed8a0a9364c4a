import type { core } from "@orchernetes/api";
import { keyOf, labelSelectorAsSelector, type Stored } from "@orchernetes/apimachinery";
import { type Informer, referenceTo } from "@orchernetes/client";
import {
  createExpected,
  deleteExpected,
  follow,
  followDependents,
  inOrder,
  noPlan,
  ownerIndexers,
} from "@orchernetes/controller";
import { defineController } from "../../shared/define-controller.ts";
import { createRevisionKeeper } from "../../shared/history/revision-keeper.ts";
import { type Revision, surplusRevisions } from "../../shared/history/revisions.ts";
import { createPodControl } from "../../shared/pod-control.ts";
import { controllerRevisions, daemonSets, nodes as nodesRef, pods as podsRef } from "../../shared/refs.ts";
import { semanticEqual } from "../../shared/semantic-equal.ts";
import { templateHash } from "../../shared/template-hash.ts";
import { type DaemonSet, daemonPod, hashLabel } from "./daemon-pod.ts";
import { FailureBackoff } from "./failure-backoff.ts";
import { nodeFit } from "./node-fit.ts";
import { type DaemonSetAction, type DaemonSetState, reconcile } from "./reconcile.ts";
import { statusOf } from "./status.ts";

/** Period of removing expired back-offs. */
const collectMs = 60_000;

/** The state of a set, with its revisions and whether the caches contain the results of earlier writes. */
interface State extends DaemonSetState {
  readonly settled: boolean;
  readonly current: Revision;
  readonly history: readonly Revision[];
}
type Action = DaemonSetAction | { readonly type: "DropRevisions"; readonly revisions: readonly Revision[] };

const selectorOf = ({ spec }: DaemonSet) => labelSelectorAsSelector(spec.selector);

/** Key of the back-off of a node. It includes the generation, so that a changed set is tried at once. */
const failureKey = ({ metadata, status }: DaemonSet, nodeName: string): string =>
  `${metadata.uid}/${status?.observedGeneration}/${nodeName}`;

/**
 * Runs one pod of each DaemonSet on every eligible node. A set is synced when it or one of its pods changes, and when a
 * node becomes eligible or ineligible. Failed pods are replaced after a back-off per node.
 */
export const daemonSetController = defineController({
  name: "daemonset",
  serviceAccount: "daemon-set-controller",
  eventSource: "daemonset-controller",
  settings: ({ document }) => ({ workers: document.DaemonSetController.ConcurrentDaemonSetSyncs }),
  build(shell, { workers }) {
    const { client, clock, recorder } = shell.context;
    const queue = shell.queue("daemonset");
    const expectations = shell.expectations();
    const control = createPodControl(client, recorder);
    const keeper = createRevisionKeeper(client, daemonSets, { hashLabel, hashOf: templateHash });
    const failures = new FailureBackoff(clock);
    shell.every(collectMs, () => failures.collect());
    const sets = shell.informer(daemonSets);
    const pods = shell.informer(podsRef, ownerIndexers);
    const nodes = shell.informer(nodesRef);
    const revisions = shell.informer(controllerRevisions, ownerIndexers);
    const enqueue = (set: DaemonSet): void => queue.add(keyOf(set));
    follow(sets, queue, { deletions: true, expectations });
    followDependents({ owners: sets, dependents: pods, expectations, selectorOf, enqueue });
    followNodes(nodes, () => sets.lister.list(), enqueue);

    shell.ownerLoop({
      queue,
      workers,
      owners: sets,
      selectorOf,
      expectations,
      refuse: rejectionOf,
      dependents: { revisions: { informer: revisions }, pods: { informer: pods } },
      prepare: (set, owned) => keeper.current(set, owned.revisions),
      gather: ({ owner: set, owned, prepared: current, settled }): State => ({
        set,
        settled,
        current,
        history: owned.revisions,
        pods: owned.pods,
        nodes: nodes.lister.list(),
        hash: current.metadata.labels?.[hashLabel] ?? "",
        backoffMs: (nodeName) => failures.leftMs(failureKey(set, nodeName)),
      }),
      reconcile: (state, now) => (state.settled ? reconcile(state, now) : noPlan),
      carryOut: inOrder<Action, State>({
        async CreatePods({ nodeNames }, { set, hash }, key) {
          const { namespace = "" } = set.metadata;
          await createExpected(expectations, key, nodeNames.length, (i) =>
            control.create(daemonPod(set, hash, nodeNames[i] ?? ""), namespace, referenceTo(daemonSets, set)),
          );
        },
        DeletePods: ({ pods: doomed }, { set }, key) =>
          deleteExpected(expectations, key, doomed, async (pod) => {
            const isDeleted = await control.delete(pod, referenceTo(daemonSets, set));
            const { nodeName } = pod.spec;
            if (pod.status.phase === "Failed" && nodeName) failures.next(failureKey(set, nodeName));
            return isDeleted;
          }),
        Warn: ({ reason, message }, { set }) =>
          recorder.event(referenceTo(daemonSets, set), "Warning", reason, message),
        DropRevisions: ({ revisions: surplus }) => keeper.drop(surplus),
      }),
      status: (state, _, now) => statusOf(state, now),
      afterwards: (state): readonly Action[] => [{ type: "DropRevisions", revisions: revisionsToDrop(state) }],
      againMs: ({ set }, { numberReady, numberAvailable = 0 }) => {
        const { minReadySeconds = 0 } = set.spec;
        return minReadySeconds > 0 && numberReady !== numberAvailable ? minReadySeconds * 1000 : undefined;
      },
    });
  },
});

/**
 * Why a set is not synced: a selector of all pods would adopt the pods of others, and a set that is deleted needs no
 * pods.
 */
function rejectionOf(set: DaemonSet) {
  if (selectorOf(set).empty) {
    const message = "This daemon set is selecting all pods. A non-empty selector is required.";
    return { warning: { reason: "SelectingAll", message } };
  }
  return set.metadata.deletionTimestamp === undefined ? undefined : {};
}

/** Revisions beyond the history limit that no pod was created from. */
function revisionsToDrop({ set, pods, current, history }: State): readonly Revision[] {
  const live = new Set(pods.map(({ metadata }) => metadata.labels?.[hashLabel]));
  return surplusRevisions(
    history,
    ({ metadata }) => metadata.uid === current.metadata.uid || live.has(metadata.labels?.[hashLabel]),
    set.spec.revisionHistoryLimit ?? 10,
  );
}

/** Enqueues the sets for which a node has become eligible or ineligible. */
function followNodes(
  nodes: Informer<core.Node>,
  listSets: () => readonly DaemonSet[],
  enqueue: (set: DaemonSet) => void,
): void {
  const changed = (node: Stored<core.Node>, old?: Stored<core.Node>): void => {
    for (const set of listSets()) {
      const { spec } = set.spec.template;
      const before = old === undefined ? { shouldRun: false, mayStay: true } : nodeFit(spec, old);
      if (!semanticEqual(before, nodeFit(spec, node))) enqueue(set);
    }
  };
  nodes.addHandler({
    onAdd: (node) => changed(node),
    onUpdate(old, node) {
      // Most updates are heartbeats, which change neither labels nor taints.
      const same =
        semanticEqual(old.metadata.labels, node.metadata.labels) && semanticEqual(old.spec?.taints, node.spec?.taints);
      if (!same) changed(node, old);
    },
    onDelete() {
      for (const set of listSets()) enqueue(set);
    },
  });
}
