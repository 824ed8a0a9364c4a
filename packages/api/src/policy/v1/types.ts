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

export const Eviction = object(pkg, "Eviction", () => ({
  metadata: value(1, ObjectMeta),
  deleteOptions: pointer(2, DeleteOptions),
}));
export interface Eviction extends Infer<typeof Eviction> {}

export const PodDisruptionBudgetSpec = message(pkg, "PodDisruptionBudgetSpec", () => ({
  minAvailable: pointer(1, intOrString),
  selector: pointer(2, LabelSelector, { patch: "replace" }),
  maxUnavailable: pointer(3, intOrString),
  unhealthyPodEvictionPolicy: pointer(4, enumeration("IfHealthyBudget", "AlwaysAllow"), {
    gate: "PDBUnhealthyPodEvictionPolicy",
  }),
}));
export interface PodDisruptionBudgetSpec extends Infer<typeof PodDisruptionBudgetSpec> {}

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
