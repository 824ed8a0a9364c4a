import {
  Condition,
  DeleteOptions,
  enumeration,
  type Infer,
  int32,
  int64,
  intOrString,
  LabelSelector,
  ListMeta,
  list,
  mapOf,
  message,
  ObjectMeta,
  object,
  optional,
  pointer,
  required,
  time,
  value,
} from "@orchernetes/apimachinery";

const pkg = "policy/v1";

/**
 * A request to delete a pod if its disruption budgets allow it; otherwise the server answers 429. It is posted to the
 * subresource `eviction` of the pod and never stored.
 */
export const Eviction = object(pkg, "Eviction", () => ({
  metadata: value(1, ObjectMeta),
  deleteOptions: pointer(2, DeleteOptions),
}));
export interface Eviction extends Infer<typeof Eviction> {}

/**
 * The pods that a budget protects, and how many must stay up. Exactly one of minAvailable and maxUnavailable is set.
 */
export const PodDisruptionBudgetSpec = message(pkg, "PodDisruptionBudgetSpec", () => ({
  minAvailable: pointer(1, intOrString),
  selector: pointer(2, LabelSelector, { patch: "replace" }),
  maxUnavailable: pointer(3, intOrString),
  unhealthyPodEvictionPolicy: pointer(4, enumeration("IfHealthyBudget", "AlwaysAllow"), {
    gate: "PDBUnhealthyPodEvictionPolicy",
  }),
}));
export interface PodDisruptionBudgetSpec extends Infer<typeof PodDisruptionBudgetSpec> {}

/** What the disruption controller last counted. Evictions are checked against it. */
export const PodDisruptionBudgetStatus = message(pkg, "PodDisruptionBudgetStatus", () => ({
  observedGeneration: optional(1, int64),
  disruptedPods: optional(2, mapOf(time)),
  disruptionsAllowed: required(3, int32),
  currentHealthy: required(4, int32),
  desiredHealthy: required(5, int32),
  expectedPods: required(6, int32),
  conditions: optional(7, list(Condition), { patch: "merge", mergeKey: "type", list: "map", keys: ["type"] }),
}));
export interface PodDisruptionBudgetStatus extends Infer<typeof PodDisruptionBudgetStatus> {}

/**
 * Limits how many pods of a set may be down at the same time because of evictions, for example while a node is drained.
 *
 * Deletions and crashes are not limited. `unhealthyPodEvictionPolicy`: KEP-3017.
 */
export const PodDisruptionBudget = object(pkg, "PodDisruptionBudget", () => ({
  metadata: value(1, ObjectMeta),
  spec: value(2, PodDisruptionBudgetSpec),
  status: value(3, PodDisruptionBudgetStatus),
}));
export interface PodDisruptionBudget extends Infer<typeof PodDisruptionBudget> {}

export const PodDisruptionBudgetList = object(pkg, "PodDisruptionBudgetList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(PodDisruptionBudget)),
}));
export interface PodDisruptionBudgetList extends Infer<typeof PodDisruptionBudgetList> {}
