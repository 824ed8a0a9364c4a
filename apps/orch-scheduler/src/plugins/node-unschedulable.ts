import { tolerationsTolerate } from "@orchernetes/component-helpers";
import { UNSCHEDULABLE } from "../cache/node-table.ts";
import { ClusterEvent, type FilterPlugin, lasting, neverOutdated } from "../framework/interfaces.ts";
import { whenNodePasses } from "./node-hints.ts";

const CORDON = { key: "node.orchernetes.io/unschedulable", effect: "NoSchedule" } as const;

const reasons = [lasting("node(s) were unschedulable")];

/** Filter NodeUnschedulable: cordoned nodes accept only pods that tolerate that. */
export const nodeUnschedulable: FilterPlugin = {
  name: "NodeUnschedulable",
  events: ClusterEvent.NodeAdded | ClusterEvent.NodeTaints,
  outdatedBy: neverOutdated,
  hint: whenNodePasses(({ pod }, { spec }) => !spec.unschedulable || tolerationsTolerate(pod.spec.tolerations, CORDON)),
  filter({ pod }, nodes) {
    if (tolerationsTolerate(pod.spec.tolerations, CORDON)) return undefined;
    const { flags } = nodes;
    return {
      reasons,
      check: (slot) => ((flags[slot] ?? 0) & UNSCHEDULABLE ? 1 : 0),
      podChanged: "unaffected",
      readsAmountsOnly: true,
      shortfalls: () => [
        {
          what: "spec.unschedulable",
          needed: `false, or a toleration of ${CORDON.key}:${CORDON.effect}`,
          available: "true",
        },
      ],
    };
  },
};
