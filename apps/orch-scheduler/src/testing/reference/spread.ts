import type { core } from "@orchernetes/api";
import type { ApiObject, Stored } from "@orchernetes/apimachinery";
import type { RandomArguments } from "../random/random-configuration.ts";
import { HOSTNAME, ZONE } from "../random/random-pod.ts";
import { argumentsOf } from "./model-arguments.ts";
import {
  labelsOf,
  type ModelCluster,
  type ModelFilter,
  type ModelScore,
  type Node,
  type Pod,
  podsOn,
} from "./reference-cluster.ts";
import { isEmptySelector, type Labels, matchesNodeAffinity, selects, untolerated } from "./selectors.ts";

interface Constraint {
  readonly topologyKey: string;
  readonly maxSkew: number;
  readonly minDomains: number;
  readonly honorAffinity: boolean;
  readonly honorTaints: boolean;
  /** Whether it is a pod to spread, by its labels. */
  readonly selects: (labels: Labels) => boolean;
  /** Without any requirement, no pod is counted, although each is one to spread. */
  readonly countsNone: boolean;
}

type When = core.TopologySpreadConstraint["whenUnsatisfiable"];

const ownConstraints = (pod: Pod, when: When): Constraint[] =>
  (pod.spec.topologySpreadConstraints ?? [])
    .filter(({ whenUnsatisfiable }) => whenUnsatisfiable === when)
    .map(({ labelSelector, matchLabelKeys = [], ...rest }) => {
      const keys = matchLabelKeys.filter((key) => Object.hasOwn(labelsOf(pod), key));
      return {
        topologyKey: rest.topologyKey,
        maxSkew: rest.maxSkew,
        minDomains: rest.minDomains ?? 1,
        honorAffinity: rest.nodeAffinityPolicy !== "Ignore",
        honorTaints: rest.nodeTaintsPolicy === "Honor",
        selects: (labels: Labels) =>
          selects(labelSelector, labels) && keys.every((key) => labels[key] === labelsOf(pod)[key]),
        countsNone: isEmptySelector(labelSelector) && keys.length === 0,
      };
    });

/** What selects the pods that belong together with a pod: its services, and the workload that controls it. */
function selectorsOf(pod: Pod, { objects }: ModelCluster): readonly ((labels: Labels) => boolean)[] {
  const { namespace } = pod.metadata;
  const here = <T extends ApiObject>(all: readonly Stored<T>[]) =>
    all.filter(({ metadata }) => metadata.namespace === namespace);
  const found: ((labels: Labels) => boolean)[] = [];
  const fromSet = (set: Labels) => {
    if (Object.keys(set).length > 0) found.push((labels) => selects({ matchLabels: set }, labels));
  };
  for (const { spec } of here(objects.services))
    if (spec.selector !== undefined && selects({ matchLabels: spec.selector }, labelsOf(pod))) fromSet(spec.selector);
  const owner = pod.metadata.ownerReferences?.find(({ controller }) => controller);
  const named = <T extends ApiObject>(all: readonly Stored<T>[]) =>
    here(all).find(({ metadata }) => metadata.name === owner?.name);
  if (owner?.kind === "ReplicationController") fromSet(named(objects.replicationControllers)?.spec.selector ?? {});
  if (owner?.kind === "ReplicaSet" || owner?.kind === "StatefulSet") {
    const { selector } =
      (owner.kind === "ReplicaSet" ? named(objects.replicaSets) : named(objects.statefulSets))?.spec ?? {};
    if (selector !== undefined && !isEmptySelector(selector)) found.push((labels) => selects(selector, labels));
  }
  return found;
}

/** The constraints without a configured list of them. */
const SYSTEM_CONSTRAINTS: RandomArguments["PodTopologySpread"]["defaultConstraints"] = [
  { topologyKey: HOSTNAME, maxSkew: 3, whenUnsatisfiable: "ScheduleAnyway" },
  { topologyKey: ZONE, maxSkew: 5, whenUnsatisfiable: "ScheduleAnyway" },
];

/** The constraints of pods that have none of their own. */
function defaultConstraints(pod: Pod, when: When, cluster: ModelCluster): Constraint[] {
  const all = selectorsOf(pod, cluster);
  if (all.length === 0) return [];
  const args = argumentsOf(cluster, "PodTopologySpread");
  const constraints = args.defaultingType === "System" ? SYSTEM_CONSTRAINTS : args.defaultConstraints;
  return constraints
    .filter(({ whenUnsatisfiable }) => whenUnsatisfiable === when)
    .map((one) => ({
      topologyKey: one.topologyKey,
      maxSkew: one.maxSkew,
      minDomains: one.minDomains ?? 1,
      honorAffinity: one.nodeAffinityPolicy !== "Ignore",
      honorTaints: one.nodeTaintsPolicy === "Honor",
      selects: (labels: Labels) => all.every((selecting) => selecting(labels)),
      countsNone: false,
    }));
}

const hasOwn = ({ spec }: Pod): boolean => (spec.topologySpreadConstraints ?? []).length > 0;

const constraintsOf = (pod: Pod, when: When, cluster: ModelCluster): Constraint[] =>
  hasOwn(pod) ? ownConstraints(pod, when) : defaultConstraints(pod, when, cluster);

const isEligible = ({ spec }: Pod, node: Node, { honorAffinity, honorTaints }: Constraint): boolean =>
  (!honorAffinity || matchesNodeAffinity(spec, node)) && (!honorTaints || untolerated(spec, node) === undefined);

const hasAll = (node: Node, constraints: readonly Constraint[]): boolean =>
  constraints.every(({ topologyKey }) => Object.hasOwn(labelsOf(node), topologyKey));

const countOn = (pod: Pod, node: Node, constraint: Constraint, cluster: ModelCluster): number =>
  constraint.countsNone
    ? 0
    : podsOn(cluster, node.metadata.name).filter(
        (other) =>
          other.metadata.namespace === pod.metadata.namespace &&
          other.metadata.deletionTimestamp === undefined &&
          constraint.selects(labelsOf(other)),
      ).length;

/** Pods to spread by domain, on the eligible nodes. */
function countByDomain(pod: Pod, one: Constraint, nodes: readonly Node[], cluster: ModelCluster): Map<string, number> {
  const counts = new Map<string, number>();
  for (const node of nodes) {
    if (!isEligible(pod, node, one)) continue;
    const domain = labelsOf(node)[one.topologyKey] ?? "";
    counts.set(domain, (counts.get(domain) ?? 0) + countOn(pod, node, one, cluster));
  }
  return counts;
}

export const spreadFilter: ModelFilter = {
  plugin: "PodTopologySpread",
  refuses(pod, node, cluster) {
    const constraints = constraintsOf(pod, "DoNotSchedule", cluster);
    for (const one of constraints) {
      if (!Object.hasOwn(labelsOf(node), one.topologyKey))
        return ["node(s) didn't match pod topology spread constraints (missing required label)"];
      const within = cluster.nodes.filter((other) => hasAll(other, constraints));
      const counts = countByDomain(pod, one, within, cluster);
      if (counts.size === 0) continue;
      const least = counts.size < one.minDomains ? 0 : Math.min(...counts.values());
      const there = counts.get(labelsOf(node)[one.topologyKey] ?? "") ?? 0;
      if (there + (one.selects(labelsOf(pod)) ? 1 : 0) - least > one.maxSkew)
        return ["node(s) didn't match pod topology spread constraints"];
    }
    return [];
  },
};

export const spreadScore: ModelScore = {
  plugin: "PodTopologySpread",
  weight: 2,
  scores(pod, feasible, cluster) {
    // Only of the constraints that nobody has written, a node may lack some labels.
    const own = hasOwn(pod) || argumentsOf(cluster, "PodTopologySpread").defaultingType === "List";
    const constraints = constraintsOf(pod, "ScheduleAnyway", cluster);
    if (constraints.length === 0) return feasible.map(() => 0);
    const counted = feasible.filter((node) => !own || hasAll(node, constraints));
    const within = cluster.nodes.filter((node) => !own || hasAll(node, constraints));
    const raw = feasible.map((node) => {
      if (!counted.includes(node)) return undefined;
      let sum = 0;
      for (const one of constraints) {
        const { topologyKey } = one;
        if (!Object.hasOwn(labelsOf(node), topologyKey)) continue;
        // Candidates without the label are a domain of their own here.
        const size =
          topologyKey === HOSTNAME
            ? counted.length
            : new Set(counted.map((other) => labelsOf(other)[topologyKey] ?? "")).size;
        const count =
          topologyKey === HOSTNAME
            ? countOn(pod, node, one, cluster)
            : (countByDomain(pod, one, within, cluster).get(labelsOf(node)[topologyKey] ?? "") ?? 0);
        sum += count * Math.log(size + 2) + (one.maxSkew - 1);
      }
      return Math.round(sum);
    });
    const known = raw.filter((score) => score !== undefined);
    const [least, most] = [Math.min(...known), Math.max(0, ...known)];
    return raw.map((score) => {
      if (score === undefined) return 0;
      return most === 0 ? 100 : Math.floor((100 * (most + least - score)) / most);
    });
  },
};
