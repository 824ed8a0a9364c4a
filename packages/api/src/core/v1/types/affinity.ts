import {
  enumeration,
  type Infer,
  int32,
  int64,
  LabelSelector,
  list,
  message,
  optional,
  pointer,
  required,
  string,
  time,
} from "@orchernetes/apimachinery";

const pkg = "core/v1";

/** A choice of nodes: a node is chosen if at least one of the terms matches it. */
export const NodeSelector = message(
  pkg,
  "NodeSelector",
  () => ({
    nodeSelectorTerms: required(1, list(NodeSelectorTerm)),
  }),
  { atomic: true },
);
export interface NodeSelector extends Infer<typeof NodeSelector> {}

/** Requirements that must all hold for a node. A term without any requirement matches no node. */
export const NodeSelectorTerm = message(
  pkg,
  "NodeSelectorTerm",
  () => ({
    matchExpressions: optional(1, list(NodeSelectorRequirement)),
    matchFields: optional(2, list(NodeSelectorRequirement)),
  }),
  { atomic: true },
);
export interface NodeSelectorTerm extends Infer<typeof NodeSelectorTerm> {}

/** One condition on a label or field of a node. */
export const NodeSelectorRequirement = message(pkg, "NodeSelectorRequirement", () => ({
  key: required(1, string),
  operator: required(2, enumeration("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")),
  values: optional(3, list(string)),
}));
export interface NodeSelectorRequirement extends Infer<typeof NodeSelectorRequirement> {}

/**
 * A choice of places in the cluster, by labels that volume drivers know. All requirements must hold; without any, every place
 * is chosen.
 */
export const TopologySelectorTerm = message(
  pkg,
  "TopologySelectorTerm",
  () => ({
    matchLabelExpressions: optional(1, list(TopologySelectorLabelRequirement)),
  }),
  { atomic: true },
);
export interface TopologySelectorTerm extends Infer<typeof TopologySelectorTerm> {}

/** One condition on a topology label. */
export const TopologySelectorLabelRequirement = message(pkg, "TopologySelectorLabelRequirement", () => ({
  key: required(1, string),
  values: required(2, list(string)),
}));
export interface TopologySelectorLabelRequirement extends Infer<typeof TopologySelectorLabelRequirement> {}

/** Where the scheduler may and should place a pod, depending on nodes' labels and on other pods. */
export const Affinity = message(pkg, "Affinity", () => ({
  nodeAffinity: pointer(1, NodeAffinity),
  podAffinity: pointer(2, PodAffinity),
  podAntiAffinity: pointer(3, PodAntiAffinity),
}));
export interface Affinity extends Infer<typeof Affinity> {}

/** Places a pod where certain other pods already run. */
export const PodAffinity = message(pkg, "PodAffinity", () => ({
  requiredDuringSchedulingIgnoredDuringExecution: optional(1, list(PodAffinityTerm)),
  preferredDuringSchedulingIgnoredDuringExecution: optional(2, list(WeightedPodAffinityTerm)),
}));
export interface PodAffinity extends Infer<typeof PodAffinity> {}

/** Keeps a pod away from where certain other pods already run. */
export const PodAntiAffinity = message(pkg, "PodAntiAffinity", () => ({
  requiredDuringSchedulingIgnoredDuringExecution: optional(1, list(PodAffinityTerm)),
  preferredDuringSchedulingIgnoredDuringExecution: optional(2, list(WeightedPodAffinityTerm)),
}));
export interface PodAntiAffinity extends Infer<typeof PodAntiAffinity> {}

/** A preference about other pods, with its weight (1 to 100). */
export const WeightedPodAffinityTerm = message(pkg, "WeightedPodAffinityTerm", () => ({
  weight: required(1, int32),
  podAffinityTerm: required(2, PodAffinityTerm),
}));
export interface WeightedPodAffinityTerm extends Infer<typeof WeightedPodAffinityTerm> {}

/**
 * A set of pods, and what counts as close to them: it matches a node if a node with the same value of the topology
 * label runs one of the pods.
 */
export const PodAffinityTerm = message(pkg, "PodAffinityTerm", () => ({
  labelSelector: pointer(1, LabelSelector),
  namespaces: optional(2, list(string)),
  topologyKey: required(3, string),
  namespaceSelector: pointer(4, LabelSelector),
}));
export interface PodAffinityTerm extends Infer<typeof PodAffinityTerm> {}

/** Which nodes a pod may run on and which it prefers. */
export const NodeAffinity = message(pkg, "NodeAffinity", () => ({
  requiredDuringSchedulingIgnoredDuringExecution: pointer(1, NodeSelector),
  preferredDuringSchedulingIgnoredDuringExecution: optional(2, list(PreferredSchedulingTerm)),
}));
export interface NodeAffinity extends Infer<typeof NodeAffinity> {}

/** A preference about nodes, with its weight (1 to 100). */
export const PreferredSchedulingTerm = message(pkg, "PreferredSchedulingTerm", () => ({
  weight: required(1, int32),
  preference: required(2, NodeSelectorTerm),
}));
export interface PreferredSchedulingTerm extends Infer<typeof PreferredSchedulingTerm> {}

/** A mark on a node that keeps away every pod which does not tolerate it. */
export const Taint = message(pkg, "Taint", () => ({
  key: required(1, string),
  value: optional(2, string),
  effect: required(3, enumeration("NoSchedule", "PreferNoSchedule", "NoExecute")),
  timeAdded: pointer(4, time),
}));
export interface Taint extends Infer<typeof Taint> {}

/** Lets a pod onto nodes with taints that match key, value and effect. */
export const Toleration = message(pkg, "Toleration", () => ({
  key: optional(1, string),
  operator: optional(2, enumeration("Exists", "Equal")),
  value: optional(3, string),
  effect: optional(4, enumeration("NoSchedule", "PreferNoSchedule", "NoExecute")),
  tolerationSeconds: pointer(5, int64),
}));
export interface Toleration extends Infer<typeof Toleration> {}

/** Spreads pods evenly over topology domains, such as zones or nodes. Source: KEP-895. */
export const TopologySpreadConstraint = message(pkg, "TopologySpreadConstraint", () => ({
  maxSkew: required(1, int32),
  topologyKey: required(2, string),
  whenUnsatisfiable: required(3, enumeration("DoNotSchedule", "ScheduleAnyway")),
  labelSelector: pointer(4, LabelSelector),
  minDomains: pointer(5, int32, { gate: "MinDomainsInPodTopologySpread" }),
  nodeAffinityPolicy: pointer(6, enumeration("Ignore", "Honor"), { gate: "NodeInclusionPolicyInPodTopologySpread" }),
  nodeTaintsPolicy: pointer(7, enumeration("Ignore", "Honor"), { gate: "NodeInclusionPolicyInPodTopologySpread" }),
  matchLabelKeys: optional(8, list(string), { gate: "MatchLabelKeysInPodTopologySpread" }),
}));
export interface TopologySpreadConstraint extends Infer<typeof TopologySpreadConstraint> {}
