import type { Snapshot } from "../../snapshot/snapshot.ts";
import { basicFilters } from "./basic-filters.ts";
import { modelScores } from "./basic-scores.ts";
import { podAffinityFilter } from "./pod-affinity.ts";
import {
  type ModelCluster,
  type ModelFilter,
  modelCluster,
  type Node,
  type Pod,
  type Verdict,
  withPods,
} from "./reference-cluster.ts";
import { namedNodes } from "./selectors.ts";
import { spreadFilter } from "./spread.ts";
import { volumeBinding, volumeRestrictions, volumeZone } from "./volume-filters.ts";
import { volumeLimits } from "./volume-limits.ts";

const filters: readonly ModelFilter[] = [
  ...basicFilters,
  volumeRestrictions,
  ...volumeLimits,
  volumeBinding,
  volumeZone,
  spreadFilter,
  podAffinityFilter,
];

/** What the reference says about a pod. */
export interface ModelVerdict {
  /** Why the pod is rejected without regard to nodes, by plugin; the first one counts. */
  readonly rejections: ReadonlyMap<string, string>;
  /** By node: the plugins that refuse it, with their reasons. */
  readonly refusals: ReadonlyMap<string, ReadonlyMap<string, Verdict>>;
  /** By plugin: the score of each feasible node, by its name. Empty if the pod is rejected. */
  readonly scores: ReadonlyMap<string, ReadonlyMap<string, number>>;
  /** The weighted sum of the scores by node. */
  readonly totals: ReadonlyMap<string, number>;
  /** The message of the decision before preemption; "" if some node fits. */
  readonly message: string;
}

function refusalsOf(pod: Pod, node: Node, cluster: ModelCluster, rejected: ReadonlySet<string>): Map<string, Verdict> {
  const found = filters
    .filter(({ plugin }) => !rejected.has(plugin))
    .map(({ plugin, refuses }) => [plugin, refuses(pod, node, cluster)] as const);
  return new Map(found.filter(([, reasons]) => reasons.length > 0));
}

/** A node must have room for nominated pods that are as important, and must suit the pod without them, too. */
export function refusalsWithNominated(
  pod: Pod,
  node: Node,
  cluster: ModelCluster,
  rejected: ReadonlySet<string>,
): ReadonlyMap<string, Verdict> {
  const ahead = cluster.objects.nominated
    .filter((one) => one.node === node.metadata.name && (one.pod.spec.priority ?? 0) >= (pod.spec.priority ?? 0))
    .map((one) => one.pod);
  const crowded = refusalsOf(pod, node, withPods(cluster, node.metadata.name, ahead), rejected);
  return crowded.size > 0 ? crowded : refusalsOf(pod, node, cluster, rejected);
}

/** `0/3 nodes are available: 1 Insufficient cpu, 2 Too many pods.`: each node counts for the first plugin that refuses it. */
function messageOf(pod: Pod, refusals: ModelVerdict["refusals"], rejections: ModelVerdict["rejections"]): string {
  const [rejection] = rejections.values();
  const head = `0/${refusals.size} nodes are available: `;
  if (rejection !== undefined) return `${head}${rejection}.`;
  if ([...refusals.values()].some(({ size }) => size === 0)) return "";
  const counts = new Map<string, number>();
  const named = namedNodes(pod.spec)?.filter((name) => refusals.has(name)) ?? [];
  for (const [name, byPlugin] of refusals) {
    if (named.length > 0 && !named.includes(name)) continue;
    const [reasons = []] = byPlugin.values();
    for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  return `${head}${[...counts]
    .map(([reason, count]) => `${count} ${reason}`)
    .sort()
    .join(", ")}.`;
}

/** The reference's verdict about a pod of a cluster. */
export function modelVerdict(snapshot: Snapshot, pod: Pod): ModelVerdict {
  const cluster = modelCluster(snapshot);
  const rejections = new Map(
    filters.flatMap(({ plugin, rejects }) => {
      const why = rejects?.(pod, cluster);
      return why === undefined ? [] : [[plugin, why] as const];
    }),
  );
  const rejected = new Set(rejections.keys());
  const refusals = new Map(
    cluster.nodes.map((node) => [node.metadata.name, refusalsWithNominated(pod, node, cluster, rejected)]),
  );
  const fits = ({ metadata }: Node): boolean => rejected.size === 0 && refusals.get(metadata.name)?.size === 0;
  const feasible = cluster.nodes.filter(fits);
  const totals = new Map(feasible.map(({ metadata }) => [metadata.name, 0]));
  const scores = new Map<string, ReadonlyMap<string, number>>();
  if (feasible.length > 0)
    for (const { plugin, weight, scores: scoresOf } of modelScores) {
      const values = scoresOf(pod, feasible, cluster);
      const byNode = new Map(feasible.map(({ metadata }, i) => [metadata.name, values[i] ?? 0]));
      scores.set(plugin, byNode);
      for (const [name, score] of byNode) totals.set(name, (totals.get(name) ?? 0) + weight * score);
    }
  return { rejections, refusals, scores, totals, message: messageOf(pod, refusals, rejections) };
}
