import { ClusterEvent, type FilterPlugin, lasting, neverOutdated } from "../framework/interfaces.ts";

const reasons = [lasting("node(s) didn't match the requested node name")];

/** Filter NodeName: a pod that names its node fits only that one. */
export const nodeName: FilterPlugin = {
  name: "NodeName",
  events: ClusterEvent.NodeAdded,
  outdatedBy: neverOutdated,
  filter({ pod }, nodes) {
    const wanted = pod.spec.nodeName;
    if (!wanted) return undefined;
    const slot = nodes.slotOf(wanted);
    return {
      reasons,
      check: (s) => (s === slot ? 0 : 1),
      podChanged: "unaffected",
      readsAmountsOnly: true,
      shortfalls: (s) => [{ what: "node name", needed: wanted, available: nodes.nameOf(s) }],
    };
  },
};
