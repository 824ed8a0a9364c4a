import type { FilterPlugin } from "../framework/interfaces.ts";
import { ClusterEvent } from "../framework/interfaces.ts";

/** Filter NodeName: a pod that names its node fits only there. */
export const nodeName: FilterPlugin = {
  name: "NodeName",
  events: ClusterEvent.NodeAdded,
  prepare({ pod }, nodes) {
    const wanted = pod.spec.nodeName;
    if (!wanted) return undefined;
    const slot = nodes.slotOf(wanted);
    return { reasons: ["node(s) didn't match the requested node name"], check: (s) => (s === slot ? 0 : 1) };
  },
};
