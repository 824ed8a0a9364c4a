import type { policy } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";
import { labelsOf, type ModelCluster, type Node, type Pod, podsOn, withPods } from "./reference-cluster.ts";
import { selects } from "./selectors.ts";
import { type ModelVerdict, refusalsWithNominated } from "./verdict.ts";

/** Plugins whose refusals no eviction can end, and reasons for which that is true of other plugins. */
const UNRESOLVABLE: ReadonlySet<string> = new Set([
  "NodeUnschedulable",
  "NodeName",
  "TaintToleration",
  "NodeAffinity",
  "VolumeBinding",
  "VolumeZone",
  "node(s) didn't match pod topology spread constraints (missing required label)",
  "node(s) didn't match pod affinity rules",
]);

/** The victims of a node that would make room. */
interface ModelCandidate {
  readonly node: string;
  /** By importance, the most important first. */
  readonly victims: readonly Pod[];
  /** The number of victims that a disruption budget does not allow. */
  readonly violations: number;
}

/** What the reference says about a preemption: the best candidates, which are equally good, or why there is none. */
export type ModelPreemption =
  | { readonly type: "nominate"; readonly best: ReadonlyMap<string, readonly string[]> }
  | { readonly type: "none"; readonly message: string };

const priorityOf = ({ spec }: Pod): number => spec.priority ?? 0;
/** A pod that has not started starts now: after all others. */
const startOf = ({ status }: Pod): string => status.startTime ?? "~";

const byImportance = (a: Pod, b: Pod): number =>
  priorityOf(b) - priorityOf(a) || (startOf(a) < startOf(b) ? -1 : startOf(a) > startOf(b) ? 1 : 0);

/** Whether evictions may help on a node, by the first plugin that refuses it. */
function mayHelp(refusals: ReadonlyMap<string, readonly string[]> | undefined): boolean {
  const [first] = refusals ?? [];
  return first !== undefined && ![first[0], ...first[1]].some((one) => UNRESOLVABLE.has(one));
}

/** Whether a pod is being deleted because a scheduler preempted it. */
function isVictim({ status }: Pod): boolean {
  for (const condition of status.conditions ?? [])
    if (condition.type === "DisruptionTarget")
      return condition.status === "True" && condition.reason === "PreemptionByScheduler";
  return false;
}

/** Whether a budget is about a pod: one that selects everything protects nothing, and neither has a pod without labels. */
function protects({ metadata, spec, status }: Stored<policy.PodDisruptionBudget>, pod: Pod): boolean {
  const { matchLabels = {}, matchExpressions = [] } = spec.selector ?? {};
  const selectsAll = Object.keys(matchLabels).length === 0 && matchExpressions.length === 0;
  return (
    metadata.namespace === pod.metadata.namespace &&
    !selectsAll &&
    Object.keys(labelsOf(pod)).length > 0 &&
    selects(spec.selector, labelsOf(pod)) &&
    !(pod.metadata.name in (status.disruptedPods ?? {}))
  );
}

/** Whether budgets do not allow the eviction of each of the pods, if they are evicted in their order. */
function violationsOf(pods: readonly Pod[], cluster: ModelCluster): readonly boolean[] {
  return pods.map((pod, i) =>
    cluster.objects.budgets.some((budget) => {
      if (!protects(budget, pod)) return false;
      const used = pods.slice(0, i).filter((other) => protects(budget, other)).length;
      return used + 1 > budget.status.disruptionsAllowed;
    }),
  );
}

/** The candidate of a node, or why there is none. */
function candidateOf(pod: Pod, node: Node, cluster: ModelCluster): ModelCandidate | readonly string[] {
  const { name } = node.metadata;
  const all = podsOn(cluster, name);
  const lower = all.filter((other) => priorityOf(other) < priorityOf(pod)).sort(byImportance);
  if (lower.length === 0) return ["No preemption victims found for incoming pod"];
  const others = all.filter((other) => !lower.includes(other));
  let kept: ModelCluster = { ...cluster, pods: new Map(cluster.pods).set(name, others) };
  const refusals = (within: ModelCluster) => refusalsWithNominated(pod, node, within, new Set());
  const [refusal] = refusals(kept).values();
  if (refusal !== undefined) return refusal;
  const violating = violationsOf(lower, cluster);
  const victims: Pod[] = [];
  let violations = 0;
  for (const isViolating of [true, false])
    for (const [i, other] of lower.entries()) {
      if (violating[i] !== isViolating) continue;
      const again = withPods(kept, name, [other]);
      if (refusals(again).size === 0) kept = again;
      else {
        victims.push(other);
        if (isViolating) violations++;
      }
    }
  return { node: name, victims: victims.sort(byImportance), violations };
}

/** Rules by which candidates are compared; a lower value is better. */
const rules: readonly ((candidate: ModelCandidate) => number | string)[] = [
  ({ violations }) => violations,
  ({ victims }) => Math.max(...victims.map(priorityOf)),
  ({ victims }) => victims.reduce((sum, victim) => sum + priorityOf(victim) + 2 ** 31, 0),
  ({ victims }) => victims.length,
];

/** The start of the longest running of the most important victims; the later, the better. */
function earliestStart({ victims }: ModelCandidate): string {
  const most = Math.max(...victims.map(priorityOf));
  return (
    victims
      .filter((victim) => priorityOf(victim) === most)
      .map(startOf)
      .sort()[0] ?? ""
  );
}

function bestOf(candidates: readonly ModelCandidate[]): readonly ModelCandidate[] {
  let left = candidates;
  for (const rule of rules) {
    const least = left.map(rule).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))[0];
    left = left.filter((candidate) => rule(candidate) === least);
  }
  const latest = left.map(earliestStart).sort().at(-1);
  return left.filter((candidate) => earliestStart(candidate) === latest);
}

function noneMessage(nodes: number, reasons: readonly (readonly string[])[]): string {
  const counts = new Map<string, number>();
  for (const reason of reasons.flat()) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  const texts = [...counts].map(([reason, count]) => `${count} ${reason}`).sort();
  return `preemption: 0/${nodes} nodes are available: ${texts.join(", ")}.`;
}

/**
 * What the reference says about a preemption for a pod that fits no node: the victims of each node are all pods of lower
 * priority but those that may stay, where pods whose eviction a budget does not allow are the first that may. Every node is
 * tried.
 *
 * @param verdict that of the pod
 */
export function modelPreemption(
  pod: Pod,
  cluster: ModelCluster,
  { refusals, rejections }: ModelVerdict,
): ModelPreemption {
  if (pod.spec.preemptionPolicy === "Never")
    return { type: "none", message: "preemption: not eligible due to preemptionPolicy=Never." };
  const isHelped = ({ metadata }: Node): boolean => rejections.size === 0 && mayHelp(refusals.get(metadata.name));
  const nominated = cluster.nodes.find(({ metadata }) => metadata.name === pod.status.nominatedNodeName);
  const isLeaving = (other: Pod): boolean =>
    priorityOf(other) < priorityOf(pod) && other.metadata.deletionTimestamp !== undefined && isVictim(other);
  if (nominated !== undefined && isHelped(nominated) && podsOn(cluster, nominated.metadata.name).some(isLeaving))
    return { type: "none", message: "preemption: not eligible due to a terminating pod on the nominated node." };
  const candidates: ModelCandidate[] = [];
  const reasons: (readonly string[])[] = [];
  for (const node of cluster.nodes) {
    const result = isHelped(node) ? candidateOf(pod, node, cluster) : ["Preemption is not helpful for scheduling"];
    if ("victims" in result) candidates.push(result);
    else reasons.push(result);
  }
  if (candidates.length === 0) return { type: "none", message: noneMessage(cluster.nodes.length, reasons) };
  const best = bestOf(candidates);
  return {
    type: "nominate",
    best: new Map(best.map(({ node, victims }) => [node, victims.map(({ metadata }) => metadata.name)])),
  };
}
