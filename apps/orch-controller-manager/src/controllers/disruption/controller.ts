import type { core } from "@orchernetes/api";
import { keyOf, type LabelSelector, labelSelectorAsSelector, type Stored } from "@orchernetes/apimachinery";
import { referenceTo } from "@orchernetes/client";
import { follow, inOrder } from "@orchernetes/controller";
import { defineController } from "../../shared/define-controller.ts";
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

/** Whether a budget selects a pod. A budget without a selector selects none (policy/v1). */
const selects = ({ spec: { selector } }: PodDisruptionBudget, pod: Stored<core.Pod>): boolean =>
  selector !== undefined && labelSelectorAsSelector(selector as LabelSelector).matches(pod.metadata.labels);

/**
 * Computes how many disruptions each PodDisruptionBudget allows. The eviction API decrements the result with each
 * eviction; this controller corrects it when pods change. A budget is synced when it, or a pod that it selects or
 * selected, changes. There is a single worker, as in the original.
 *
 * Source: "Specifying a Disruption Budget for your Application".
 */
export const disruptionController = defineController({
  name: "disruption",
  serviceAccount: "disruption-controller",
  build(shell) {
    const { client, clock, recorder } = shell.context;
    const queue = shell.queue("disruption");
    const budgets = shell.informer(podDisruptionBudgets);
    const pods = shell.informer(podsRef);
    const listers = {
      "Deployment.apps": shell.informer(deployments).lister,
      "ReplicaSet.apps": shell.informer(replicaSets).lister,
      "StatefulSet.apps": shell.informer(statefulSets).lister,
      "ReplicationController.": shell.informer(replicationControllers).lister,
    };
    const lookup = createScaleLookup({ client, mapper: createRestMapper(client, clock), clock });
    const sources = { lookup, listers: listers as unknown as ScaleSources["listers"] };
    follow(budgets, queue);
    const podChanged = (pod: Stored<core.Pod>): void => {
      for (const budget of budgets.lister.list(pod.metadata.namespace ?? "")) {
        if (selects(budget, pod)) queue.add(keyOf(budget));
      }
    };
    pods.addHandler({
      onAdd: podChanged,
      onUpdate(old, pod) {
        if (old.metadata.labels !== pod.metadata.labels) podChanged(old);
        podChanged(pod);
      },
      onDelete: podChanged,
    });
    shell.loop({
      queue,
      workers: 1,
      async gather(key): Promise<DisruptionState | undefined> {
        const budget = budgets.lister.byKey(key);
        if (budget === undefined) return undefined;
        const selected = pods.lister.list(budget.metadata.namespace ?? "").filter((pod) => selects(budget, pod));
        const scale = needsScale(budget.spec) ? await expectedScale(selected, sources) : undefined;
        return { budget, pods: selected, scale };
      },
      reconcile,
      carryOut: inOrder<DisruptionAction, DisruptionState>({
        UpdateStatus: async ({ budget }) => void (await client.resource(podDisruptionBudgets).updateStatus(budget)),
        Event({ pod, of, reason, message }, { budget }) {
          const about = pod === undefined ? referenceTo(podDisruptionBudgets, budget) : referenceTo(podsRef, pod);
          recorder.event(about, of, reason, message);
        },
      }),
    });
  },
});
