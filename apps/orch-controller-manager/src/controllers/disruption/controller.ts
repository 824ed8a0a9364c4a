import type { core } from "@orchernetes/api";
import { keyOf, type LabelSelector, labelSelectorAsSelector, type Stored } from "@orchernetes/apimachinery";
import { referenceTo } from "@orchernetes/client";
import { runController, WorkQueue } from "@orchernetes/controller";
import type { ControllerContext, ControllerDescriptor } from "../../shared/context.ts";
import {
  deployments,
  podDisruptionBudgets,
  pods as podsRef,
  replicaSets,
  replicationControllers,
  statefulSets,
} from "../../shared/refs.ts";
import { createRestMapper } from "../../shared/rest-mapper.ts";
import { expectedScale, type ScaleSources } from "./expected-scale.ts";
import {
  type DisruptionAction,
  type DisruptionState,
  needsScale,
  type PodDisruptionBudget,
  reconcile,
} from "./reconcile.ts";
import { createScaleLookup } from "./scale-lookup.ts";

/** Tells of each PodDisruptionBudget how many disruptions it allows. */
export const disruptionController: ControllerDescriptor = {
  name: "disruption",
  serviceAccount: "disruption-controller",
  enabledByDefault: true,
  start: run,
};

async function run(context: ControllerContext): Promise<void> {
  const { client, clock, logger, recorder, signal } = context;
  const queue = new WorkQueue({ name: "disruption", clock, metrics: context.queueMetrics });
  const budgets = context.informers.informer(podDisruptionBudgets);
  const pods = context.informers.informer(podsRef);
  const owners = {
    "Deployment.apps": context.informers.informer(deployments),
    "ReplicaSet.apps": context.informers.informer(replicaSets),
    "StatefulSet.apps": context.informers.informer(statefulSets),
    "ReplicationController.": context.informers.informer(replicationControllers),
  };
  const listers = Object.fromEntries(Object.entries(owners).map(([kind, { lister }]) => [kind, lister]));
  const lookup = createScaleLookup({ client, mapper: createRestMapper(client, clock), clock });
  const sources = { lookup, listers: listers as unknown as ScaleSources["listers"] };

  const selects = ({ spec: { selector } }: PodDisruptionBudget, pod: Stored<core.Pod>): boolean =>
    selector !== undefined && labelSelectorAsSelector(selector as LabelSelector).matches(pod.metadata.labels);
  const podChanged = (pod: Stored<core.Pod>): void => {
    for (const budget of budgets.lister.list(pod.metadata.namespace ?? "")) {
      if (selects(budget, pod)) queue.add(keyOf(budget));
    }
  };
  budgets.addHandler({
    onAdd: (budget) => queue.add(keyOf(budget)),
    onUpdate: (_, budget) => queue.add(keyOf(budget)),
  });
  pods.addHandler({
    onAdd: podChanged,
    onUpdate(old, pod) {
      if (old.metadata.labels !== pod.metadata.labels) podChanged(old);
      podChanged(pod);
    },
    onDelete: podChanged,
  });

  const gather = async (key: string): Promise<DisruptionState | undefined> => {
    const budget = budgets.lister.byKey(key);
    if (budget === undefined) return undefined;
    const selected = pods.lister.list(budget.metadata.namespace ?? "").filter((pod) => selects(budget, pod));
    const scale = needsScale(budget.spec) ? await expectedScale(selected, sources) : undefined;
    return { budget, pods: selected, scale };
  };
  const act = async (action: DisruptionAction, budget: PodDisruptionBudget): Promise<void> => {
    if (action.type === "UpdateStatus") {
      await client.resource(podDisruptionBudgets).updateStatus(action.budget);
      return;
    }
    const about =
      action.pod === undefined ? referenceTo(podDisruptionBudgets, budget) : referenceTo(podsRef, action.pod);
    recorder.event(about, action.of, action.reason, action.message);
  };

  await Promise.all([budgets, pods, ...Object.values(owners)].map((informer) => informer.waitForSync(signal)));
  await runController<DisruptionState, DisruptionAction>(
    {
      name: "disruption",
      queue,
      workers: 1,
      gather,
      reconcile,
      async carryOut(actions, { budget }) {
        for (const action of actions) await act(action, budget);
      },
    },
    { signal, logger, clock },
  );
}
