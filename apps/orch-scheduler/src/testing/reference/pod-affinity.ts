import type { core } from "@orchernetes/api";
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
import { selects } from "./selectors.ts";

type Term = core.PodAffinityTerm;

const required = (affinity: core.PodAffinity | core.PodAntiAffinity | undefined): readonly Term[] =>
  affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
const preferred = (affinity: core.PodAffinity | core.PodAntiAffinity | undefined) =>
  affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];

/** Whether a term of the owner selects another pod. */
function selectsPod(term: Term, owner: Pod, other: Pod, { objects }: ModelCluster): boolean {
  const { namespaces = [], namespaceSelector, labelSelector } = term;
  const { namespace = "" } = other.metadata;
  const own = namespaces.length === 0 && namespaceSelector === undefined;
  const named = own ? namespace === owner.metadata.namespace : namespaces.includes(namespace);
  const labels = objects.namespaces.find(({ metadata }) => metadata.name === namespace)?.metadata.labels;
  return (named || selects(namespaceSelector, labels)) && selects(labelSelector, labelsOf(other));
}

/** Whether two nodes are in the same domain: both have the label, with the same value. */
const isNear = (a: Node, b: Node, key: string): boolean =>
  Object.hasOwn(labelsOf(a), key) && Object.hasOwn(labelsOf(b), key) && labelsOf(a)[key] === labelsOf(b)[key];

/** All pods on nodes, with their nodes. */
const everyPod = (cluster: ModelCluster): readonly (readonly [Pod, Node])[] =>
  cluster.nodes.flatMap((node) => podsOn(cluster, node.metadata.name).map((pod) => [pod, node] as const));

function hasCompany(pod: Pod, node: Node, cluster: ModelCluster): boolean {
  const terms = required(pod.spec.affinity?.podAffinity);
  if (terms.some(({ topologyKey }) => !Object.hasOwn(labelsOf(node), topologyKey))) return false;
  // A pod is company only if all terms select it.
  const company = everyPod(cluster).filter(([other]) => terms.every((term) => selectsPod(term, pod, other, cluster)));
  if (terms.every(({ topologyKey }) => company.some(([, where]) => isNear(where, node, topologyKey)))) return true;
  const anywhere = company.some(([, where]) =>
    terms.some(({ topologyKey }) => Object.hasOwn(labelsOf(where), topologyKey)),
  );
  return !anywhere && terms.every((term) => selectsPod(term, pod, pod, cluster));
}

export const podAffinityFilter: ModelFilter = {
  plugin: "InterPodAffinity",
  refuses(pod, node, cluster) {
    if (!hasCompany(pod, node, cluster)) return ["node(s) didn't match pod affinity rules"];
    const near = (key: string) => everyPod(cluster).filter(([, where]) => isNear(where, node, key));
    const crowd = required(pod.spec.affinity?.podAntiAffinity).some((term) =>
      near(term.topologyKey).some(([other]) => selectsPod(term, pod, other, cluster)),
    );
    if (crowd) return ["node(s) didn't match pod anti-affinity rules"];
    const unwelcome = everyPod(cluster).some(([other, where]) =>
      required(other.spec.affinity?.podAntiAffinity).some(
        (term) => isNear(where, node, term.topologyKey) && selectsPod(term, other, pod, cluster),
      ),
    );
    return unwelcome ? ["node(s) didn't satisfy existing pods anti-affinity rules"] : [];
  },
};

/** What one pod's terms say about another pod near it. */
function preference(owner: Pod, other: Pod, cluster: ModelCluster): readonly (readonly [string, number])[] {
  const { podAffinity, podAntiAffinity } = owner.spec.affinity ?? {};
  const weigh = (of: core.PodAffinity | core.PodAntiAffinity | undefined, sign: 1 | -1) =>
    preferred(of)
      .filter(({ podAffinityTerm }) => selectsPod(podAffinityTerm, owner, other, cluster))
      .map(({ weight, podAffinityTerm }) => [podAffinityTerm.topologyKey, sign * weight] as const);
  return [...weigh(podAffinity, 1), ...weigh(podAntiAffinity, -1)];
}

export const podAffinityScore: ModelScore = {
  plugin: "InterPodAffinity",
  weight: 2,
  scores(pod, feasible, cluster) {
    const { hardPodAffinityWeight, ignorePreferredTermsOfExistingPods } = argumentsOf(cluster, "InterPodAffinity");
    const { podAffinity, podAntiAffinity } = pod.spec.affinity ?? {};
    const prefers = preferred(podAffinity).length + preferred(podAntiAffinity).length > 0;
    if (ignorePreferredTermsOfExistingPods && !prefers) return feasible.map(() => 0);
    const raw = feasible.map((node) => {
      let sum = 0;
      for (const [other, where] of everyPod(cluster)) {
        const hard = required(other.spec.affinity?.podAffinity)
          .filter((term) => selectsPod(term, other, pod, cluster))
          .map(({ topologyKey }) => [topologyKey, hardPodAffinityWeight] as const);
        const all = [...preference(pod, other, cluster), ...preference(other, pod, cluster), ...hard];
        for (const [key, weight] of all) if (isNear(where, node, key)) sum += weight;
      }
      return sum;
    });
    const [least, most] = [Math.min(...raw), Math.max(...raw)];
    return raw.map((sum) => (most === least ? 0 : Math.floor(100 * ((sum - least) / (most - least)))));
  },
};
