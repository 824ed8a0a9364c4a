import type { core } from "@orchernetes/api";
import type { Shape } from "../random/random-configuration.ts";
import { argumentsOf } from "./model-arguments.ts";
import { type ModelCluster, type Node, podsOn } from "./reference-cluster.ts";
import { amount, requestOf } from "./selectors.ts";

/** Amounts that scoring assumes for containers that request nothing. */
const ASSUMED: Readonly<Record<string, number>> = { cpu: 100, memory: 200 * 1024 * 1024 };

/** What a node offers of a resource, and what would be requested of it with the pod there. */
interface Use {
  readonly capacity: number;
  readonly requested: number;
}

/** Undefined for a resource that does not count: the node has none, or it is not a basic one and the pod requests none. */
function useOf(
  spec: core.PodSpec,
  resource: string,
  node: Node,
  cluster: ModelCluster,
  assumed: Readonly<Record<string, number>>,
): Use | undefined {
  const missing = assumed[resource] ?? 0;
  const wanted = requestOf(spec, resource, missing);
  const isBasic = resource === "cpu" || resource === "memory" || resource === "ephemeral-storage";
  const capacity = amount(resource, node.status.allocatable?.[resource]);
  if (capacity === 0 || (wanted === 0 && !isBasic)) return undefined;
  const others = podsOn(cluster, node.metadata.name).map((other) => requestOf(other.spec, resource, missing));
  return { capacity, requested: others.reduce((sum, one) => sum + one, wanted) };
}

/** The value of a shape for a use: linear between its points, constant outside of them. */
export function valueAt(shape: Shape, { requested, capacity }: Use): number {
  const utilization = capacity === 0 || requested > capacity ? 100 : Math.floor((requested * 100) / capacity);
  const next = shape.findIndex((point) => utilization <= point.utilization);
  const after = shape[next];
  if (after === undefined) return 10 * (shape.at(-1)?.score ?? 0);
  const before = shape[next - 1];
  if (before === undefined) return 10 * after.score;
  const [rise, run] = [10 * (after.score - before.score), after.utilization - before.utilization];
  return 10 * before.score + Math.trunc((rise * (utilization - before.utilization)) / run);
}

/** Score NodeResourcesFit of a node, by the strategy of the configuration. */
export function fitOf(spec: core.PodSpec, node: Node, cluster: ModelCluster): number {
  const { type, resources, requestedToCapacityRatio } = argumentsOf(cluster, "NodeResourcesFit").scoringStrategy;
  const shape = requestedToCapacityRatio?.shape ?? [];
  const scoreOf = ({ requested, capacity }: Use): number => {
    const most = Math.min(requested, capacity);
    if (type === "LeastAllocated")
      return requested > capacity ? 0 : Math.floor(((capacity - requested) * 100) / capacity);
    if (type === "MostAllocated") return Math.floor((most * 100) / capacity);
    return valueAt(shape, { requested, capacity });
  };
  const scores = resources.flatMap(({ name, weight }) => {
    const use = useOf(spec, name, node, cluster, ASSUMED);
    return use === undefined ? [] : [{ weight, score: scoreOf(use) }];
  });
  // Only by this strategy, a resource that scores 0 does not count at all.
  const counted = type === "RequestedToCapacityRatio" ? scores.filter(({ score }) => score > 0) : scores;
  const weights = counted.reduce((sum, { weight }) => sum + weight, 0);
  if (weights === 0) return 0;
  const mean = counted.reduce((sum, { weight, score }) => sum + weight * score, 0) / weights;
  return type === "RequestedToCapacityRatio" ? Math.round(mean) : Math.floor(mean);
}

/** Score NodeResourcesBalancedAllocation of a node: how close to each other the used shares of its resources are. */
export function balanceOf(spec: core.PodSpec, node: Node, cluster: ModelCluster): number {
  const shares = argumentsOf(cluster, "NodeResourcesBalancedAllocation").resources.flatMap(({ name }) => {
    const use = useOf(spec, name, node, cluster, {});
    return use === undefined ? [] : [Math.min(use.requested / use.capacity, 1)];
  });
  if (shares.length < 2) return 100;
  const [one = 0, other = 0] = shares;
  if (shares.length === 2) return Math.floor((1 - Math.abs((one - other) / 2)) * 100);
  const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
  const variance = shares.reduce((sum, share) => sum + (share - mean) * (share - mean), 0) / shares.length;
  return Math.floor((1 - Math.sqrt(variance)) * 100);
}
