import { core, scheduling } from "@orchernetes/api";
import { ensureCreated } from "../post-start/ensure.ts";
import type { PostStartHook } from "../post-start/hooks.ts";

const CLASSES = [
  {
    name: "system-node-critical",
    value: 2_000_001_000,
    description: "Used for system critical pods that must not be moved from their current node.",
  },
  {
    name: "system-cluster-critical",
    value: 2_000_000_000,
    description:
      "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.",
  },
];

/** Makes the two system priority classes. */
export const systemPriorityClasses: PostStartHook = {
  name: "scheduling/bootstrap-system-priority-classes",
  async run({ registry }) {
    for (const { name, value, description } of CLASSES)
      await ensureCreated(registry, scheduling.priorityClasses, {
        metadata: { name },
        value,
        description,
        preemptionPolicy: "PreemptLowerPriority",
      });
  },
};

/** Namespaces that every cluster has. */
const SYSTEM_NAMESPACES = ["default", "orch-system", "orch-public", "orch-node-lease"] as const;

/** Makes the system namespaces. */
export const systemNamespaces: PostStartHook = {
  name: "start-system-namespaces-controller",
  async run({ registry }) {
    for (const name of SYSTEM_NAMESPACES)
      await ensureCreated(registry, core.namespaces, { metadata: { name }, spec: {}, status: {} });
  },
};
