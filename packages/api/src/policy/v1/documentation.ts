import type { TypeDocumentation } from "@orchernetes/apimachinery";

/** Texts of the types of policy/v1. */
export const documentation: TypeDocumentation = {
  PodDisruptionBudget: {
    "": "Limits how many of some pods may be down at the same time because of evictions, for instance to drain a node. It does not protect from crashes or from plain deletion.",
    spec: "The pods and the bound.",
    status: "How many evictions are possible now. Written by orch-controller-manager.",
  },
  PodDisruptionBudgetSpec: {
    "": "The pods that a budget protects, and how far. Exactly one of minAvailable and maxUnavailable is set.",
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
      "Pods whose eviction was granted but whose deletion the controller has not yet seen, by name, with the time of the grant. They don't count as healthy; entries are dropped after two minutes.",
    disruptionsAllowed: "How many pods may be evicted now.",
    currentHealthy: "Protected pods that are ready.",
    desiredHealthy: "The fewest ready pods that satisfy the budget.",
    expectedPods: "How many pods there should be, as their controllers' scales say.",
    conditions:
      "Summaries of the state. DisruptionAllowed: True when evictions are possible (SufficientPods); False with InsufficientPods when not, or SyncFailed when the count failed.",
  },
  Eviction: {
    "": "Asks to delete a pod, if its disruption budgets allow it; otherwise the server answers 429. Posted to the pod's eviction subresource; it is not stored.",
    metadata: "Name and namespace of the pod.",
    deleteOptions: "How the pod is to be deleted: grace period, preconditions, dry run.",
  },
};
