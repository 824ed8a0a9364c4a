import type { PreEnqueuePlugin } from "../framework/interfaces.ts";

/** PreEnqueue SchedulingGates: a pod waits until its last scheduling gate is removed (KEP-3521). */
export const schedulingGates: PreEnqueuePlugin = {
  name: "SchedulingGates",
  // Only an update of the pod itself removes a gate.
  events: 0,
  preEnqueue({ pod }) {
    const gates = pod.spec.schedulingGates ?? [];
    if (gates.length === 0) return undefined;
    return `waiting for scheduling gates: [${gates.map(({ name }) => name).join(" ")}]`;
  },
};
