import type { TypeDocumentation } from "@orchernetes/apimachinery";

/** Texts of the types of policy/v1. */
export const documentation: TypeDocumentation = {
  PodDisruptionBudget: {
    "": "Limits how many pods of a set may be down at the same time because of evictions, for instance when a node is drained. It does not protect against crashes or plain deletion.",
    spec: "The pods and the limit.",
    status: "How many evictions are possible now. Written by orch-controller-manager.",
  },
  PodDisruptionBudgetSpec: {
    "": "The pods that a budget protects, and how many must stay up. Exactly one of minAvailable and maxUnavailable is set.",
    minAvailable:
      "An eviction is allowed when this many healthy pods remain: a number, or a percentage of the expected pods, rounded up. 100% forbids every eviction.",
    selector: "Which pods are protected. An empty selector means all of the namespace; none at all means no pods.",
    maxUnavailable:
      "An eviction is allowed when no more than this many pods are then missing: a number, or a percentage of the expected pods, rounded up. Needs pods of a controller with a scale. 0 forbids every eviction.",
    unhealthyPodEvictionPolicy:
      "Whether running pods that are not ready may be evicted: IfHealthyBudget (the default) only when the budget is not already exceeded, AlwaysAllow in any case. Needs the feature gate PDBUnhealthyPodEvictionPolicy, which is on by default.",
  },
  PodDisruptionBudgetStatus: {
    "": "What the disruption controller last counted. Evictions are checked against it.",
    observedGeneration:
      "The metadata.generation that this status refers to. While it is behind, no eviction is allowed.",
    disruptedPods:
      "Pods whose eviction was allowed but whose deletion the controller has not yet observed, by name, with the time of the eviction. They don't count as healthy; entries are dropped after two minutes.",
    disruptionsAllowed: "How many pods may be evicted now.",
    currentHealthy: "Protected pods that are ready.",
    desiredHealthy: "The smallest number of ready pods that satisfies the budget.",
    expectedPods: "How many pods there should be, according to their controllers' scales.",
    conditions:
      "Summaries of the state. DisruptionAllowed: True when evictions are possible (SufficientPods); False with InsufficientPods when not, or SyncFailed when the count failed.",
  },
  Eviction: {
    "": "Requests the deletion of a pod, if its disruption budgets allow it; otherwise the server responds with 429. Posted to the pod's eviction subresource; it is not stored.",
    metadata: "Name and namespace of the pod.",
    deleteOptions: "How the pod is to be deleted: grace period, preconditions, dry run.",
  },
};
