import { controllerOf, keyOf, labelSelectorAsSelector } from "@orchernetes/apimachinery";
import { flagSection } from "@orchernetes/component";
import { isPodReady } from "@orchernetes/component-helpers";
import { follow, followDependents, ownerIndexers } from "@orchernetes/controller";
import { defineController } from "../../shared/define-controller.ts";
import { revisionHash } from "../../shared/history/revision-hash.ts";
import { createRevisionKeeper } from "../../shared/history/revision-keeper.ts";
import { type Revision, surplusRevisions } from "../../shared/history/revisions.ts";
import { controllerRevisions, persistentVolumeClaims, pods as podsRef, statefulSets } from "../../shared/refs.ts";
import { type CarriedOut, type RevisedState, statefulSetActions } from "./actions.ts";
import { ordinalOf, revisionLabel, type StatefulSet } from "./identity.ts";
import { reconcile } from "./reconcile.ts";
import { statusOf } from "./status.ts";

const hash = { hashLabel: "controller.orchernetes.io/hash", hashOf: revisionHash };
const selectorOf = ({ spec }: StatefulSet) => labelSelectorAsSelector(spec.selector);

/**
 * Maintains the numbered pods of each StatefulSet and their claims. The templates of a set are stored as
 * ControllerRevisions, from which pods are created during updates and rollbacks. A set is synced when it or one of its
 * pods changes.
 */
export const statefulSetController = defineController({
  name: "statefulset",
  serviceAccount: "statefulset-controller",
  flags: flagSection("StatefulSet controller", {
    "concurrent-statefulset-syncs": {
      field: "StatefulSetController.ConcurrentStatefulSetSyncs",
      type: "int",
      default: 5,
      min: 1,
      help: "Number of StatefulSets that are synced concurrently.",
    },
  }),
  settings: ({ document }) => ({ workers: document.StatefulSetController.ConcurrentStatefulSetSyncs }),
  build(shell, settings) {
    const { client } = shell.context;
    const queue = shell.queue("statefulset");
    const keeper = createRevisionKeeper(client, statefulSets, hash);
    const sets = shell.informer(statefulSets);
    const pods = shell.informer(podsRef, ownerIndexers);
    const claims = shell.informer(persistentVolumeClaims);
    const revisions = shell.informer(controllerRevisions, ownerIndexers);
    follow(sets, queue);
    followDependents({
      owners: sets,
      dependents: pods,
      selectorOf,
      enqueue(set, pod, old) {
        queue.add(keyOf(set));
        const { minReadySeconds = 0 } = set.spec;
        // A pod that becomes available after minReadySeconds causes no event.
        if (minReadySeconds > 0 && isPodReady(pod) && (old === undefined || !isPodReady(old))) {
          queue.addAfter(keyOf(set), (minReadySeconds + 1) * 1000);
        }
      },
    });
    shell.ownerLoop({
      queue,
      workers: settings.workers,
      owners: sets,
      selectorOf,
      dependents: {
        revisions: { informer: revisions },
        pods: {
          informer: pods,
          // An orphan is adopted only if its name is one of the set's.
          isCandidate: (set, pod) => controllerOf(pod) !== undefined || ordinalOf(set, pod) !== undefined,
        },
      },
      prepare: (set, owned) => keeper.current(set, owned.revisions),
      gather({ owner: set, owned, prepared: update }): RevisedState {
        const history = owned.revisions;
        const current = history.find(({ metadata }) => metadata.name === set.status?.currentRevision) ?? update;
        return {
          set,
          pods: owned.pods,
          history,
          current,
          update,
          currentRevision: current.metadata.name,
          updateRevision: update.metadata.name,
          claim: (name) => claims.lister.get(set.metadata.namespace ?? "", name),
        };
      },
      reconcile: (state, now) => ({ actions: reconcile(state, now) as readonly CarriedOut[] }),
      carryOut: statefulSetActions(shell.context, keeper),
      status: (state, _, now) => statusOf(state, now),
      afterwards: (state, { currentRevision }): readonly CarriedOut[] => [
        { type: "DropRevisions", revisions: revisionsToDrop(state, currentRevision) },
      ],
    });
  },
});

/** Revisions beyond the history limit that neither a pod nor the set uses. */
function revisionsToDrop(state: RevisedState, currentRevision: string | undefined): readonly Revision[] {
  const { set, pods, history } = state;
  const live = new Set(pods.map(({ metadata }) => metadata.labels?.[revisionLabel]));
  for (const name of [state.currentRevision, state.updateRevision, currentRevision]) live.add(name);
  return surplusRevisions(history, ({ metadata }) => live.has(metadata.name), set.spec.revisionHistoryLimit ?? 10);
}
