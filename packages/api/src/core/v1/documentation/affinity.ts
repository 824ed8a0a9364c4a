import type { TypeDocumentation } from "@orchernetes/apimachinery";

const weight =
  "How much a match counts, from 1 to 100. The scheduler adds up the weights of all matching terms of a node.";
const taintEffect =
  "NoSchedule (no new pods), PreferNoSchedule (new pods only if no other node fits) or NoExecute (no new pods, and running ones are evicted)";

/** Texts of the types in `types/affinity.ts`. */
export const documentation: TypeDocumentation = {
  NodeSelector: {
    "": "A choice of nodes: a node is chosen if at least one of the terms matches it.",
    nodeSelectorTerms: "The terms, of which one has to match. At least one is required.",
  },
  NodeSelectorTerm: {
    "": "Requirements that must all hold for a node. A term without any requirement matches no node.",
    matchExpressions: "Requirements on the node's labels.",
    matchFields:
      "Requirements on the node's fields. Only metadata.name is supported, with In or NotIn and a single value.",
  },
  NodeSelectorRequirement: {
    "": "One condition on a label or field of a node.",
    key: "Key of the label, or path of the field.",
    operator:
      "How the label relates to the values: In, NotIn, Exists, DoesNotExist, Gt or Lt. The last two compare whole numbers. NotIn and DoesNotExist also hold for nodes without the label.",
    values:
      "Values to compare with: at least one for In and NotIn, none for Exists and DoesNotExist, exactly one whole number for Gt and Lt.",
  },
  TopologySelectorTerm: {
    "": "A choice of places in the cluster, by labels that volume drivers know. All requirements must hold; without any, every place is chosen.",
    matchLabelExpressions: "The requirements.",
  },
  TopologySelectorLabelRequirement: {
    "": "One condition on a topology label.",
    key: "Key of the label, such as topology.orchernetes.io/zone.",
    values: "Values of which the label must have one. At least one is required.",
  },
  Affinity: {
    "": "Where the scheduler may and should place a pod, depending on nodes' labels and on other pods.",
    nodeAffinity: "Rules about the labels and names of nodes.",
    podAffinity: "Rules that place the pod near certain other pods.",
    podAntiAffinity: "Rules that place the pod away from certain other pods.",
  },
  PodAffinity: {
    "": "Places a pod where certain other pods already run.",
    requiredDuringSchedulingIgnoredDuringExecution:
      "Terms that must all hold for a node to be chosen. A running pod for which they no longer hold is left alone. The first pod of a group that a term describes may be placed anywhere.",
    preferredDuringSchedulingIgnoredDuringExecution:
      "Terms that make a node more preferred, by their weight. Nodes that match none can still be chosen.",
  },
  PodAntiAffinity: {
    "": "Keeps a pod away from where certain other pods already run.",
    requiredDuringSchedulingIgnoredDuringExecution:
      "Terms of which none may match for a node to be chosen. They work in both directions: new pods are also kept away from pods whose terms match them. Running pods are left alone.",
    preferredDuringSchedulingIgnoredDuringExecution:
      "Terms that make a node less preferred, by their weight. Nodes that match can still be chosen.",
  },
  WeightedPodAffinityTerm: {
    "": "A term about other pods that is preferred, not required.",
    weight,
    podAffinityTerm: "The pods, and how close to them counts as a match.",
  },
  PodAffinityTerm: {
    "": "A set of pods, and what counts as close to them: it matches a node if a node with the same value of the topology label runs one of the pods.",
    labelSelector: "Selects the pods by their labels. Selects none if absent.",
    namespaces:
      "Namespaces in which the pods are looked for, besides those of namespaceSelector. If both are absent, it is the namespace of the pod that carries the term.",
    topologyKey:
      "Key of the node label that defines places: nodes with the same value are one place, such as orchernetes.io/hostname for the single node or topology.orchernetes.io/zone for the zone. Required.",
    namespaceSelector:
      "Selects namespaces by their labels, in which the pods are looked for, besides those of namespaces. Empty selects all.",
  },
  NodeAffinity: {
    "": "Which nodes a pod may run on and which it prefers.",
    requiredDuringSchedulingIgnoredDuringExecution:
      "Only nodes chosen here are taken, and only if the pod's nodeSelector matches, too. Nothing happens to a running pod when the labels of its node change.",
    preferredDuringSchedulingIgnoredDuringExecution:
      "Terms that make a node more preferred, by their weight. Nodes that match none can still be chosen.",
  },
  PreferredSchedulingTerm: {
    "": "A term about nodes that is preferred, not required.",
    weight,
    preference: "The nodes that are preferred. A term without requirements has no effect.",
  },
  Taint: {
    "": "A mark on a node that keeps away every pod which does not tolerate it.",
    key: "Key of the taint, such as node.orchernetes.io/not-ready.",
    value: "Value of the taint, if it has one.",
    effect: `What happens to pods that do not tolerate the taint: ${taintEffect}.`,
    timeAdded: "When the taint was added. Only set for NoExecute; the tolerated seconds count from here.",
  },
  Toleration: {
    "": "Lets a pod onto nodes with taints that match key, value and effect.",
    key: "Key of the taints that are tolerated. Empty, with the operator Exists, means every key.",
    operator: "Equal (the taint's value is the same) or Exists (any value). Default Equal.",
    value: "Value of the taints that are tolerated. Must be empty with Exists.",
    effect:
      "Effect of the taints that are tolerated: NoSchedule, PreferNoSchedule or NoExecute. Empty means every effect.",
    tolerationSeconds:
      "Seconds that the pod may stay on a node after a matching NoExecute taint was added. It stays forever if absent and is evicted immediately if zero or less. Only with the effect NoExecute.",
  },
  TopologySpreadConstraint: {
    "": "Spreads pods evenly over places such as zones or nodes.",
    maxSkew:
      "By how many pods the fullest place may exceed the emptiest one. At least 1. With ScheduleAnyway it only raises the score of nodes that reduce the skew.",
    topologyKey:
      "Key of the node label that defines places: nodes with the same value are one place. Nodes without the label are ignored.",
    whenUnsatisfiable:
      "What to do with a pod that cannot be placed within maxSkew: DoNotSchedule leaves it pending, ScheduleAnyway places it where the skew increases least.",
    labelSelector: "Selects the pods that are counted, within the pod's namespace.",
    minDomains:
      "How many places there have to be. While there are fewer that qualify, the emptiest one counts as having no pods. Greater than 0, default 1, and only with DoNotSchedule.",
    nodeAffinityPolicy:
      "Whether nodes that the pod's nodeSelector and node affinity rule out are left out of the count (Honor, the default) or not (Ignore).",
    nodeTaintsPolicy:
      "Whether nodes with taints that the pod does not tolerate are left out of the count (Honor) or not (Ignore, the default).",
    matchLabelKeys:
      "Keys of labels of which the counted pods must have the same values as the pod itself, in addition to labelSelector. With pod-template-hash, each revision of a deployment is spread by itself.",
  },
};
