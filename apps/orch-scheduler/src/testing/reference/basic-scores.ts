import type { core } from "@orchernetes/api";
import { podAffinityScore } from "./pod-affinity.ts";
import { type ModelCluster, type ModelScore, type Node, podsOn } from "./reference-cluster.ts";
import { amount, requestOf, termMatches, tolerates } from "./selectors.ts";
import { spreadScore } from "./spread.ts";

const taintToleration: ModelScore = {
  plugin: "TaintToleration",
  weight: 3,
  scores({ spec }, feasible) {
    const relevant = (spec.tolerations ?? []).filter(({ effect }) => !effect || effect === "PreferNoSchedule");
    const counts = feasible.map(
      (node) =>
        (node.spec.taints ?? []).filter((taint) => taint.effect === "PreferNoSchedule" && !tolerates(relevant, taint))
          .length,
    );
    const most = Math.max(...counts);
    return counts.map((count) => (most === 0 ? 100 : 100 - Math.floor((100 * count) / most)));
  },
};

const nodeAffinity: ModelScore = {
  plugin: "NodeAffinity",
  weight: 2,
  scores({ spec }, feasible) {
    const terms = spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
    const sums = feasible.map((node) =>
      terms.reduce((sum, { weight, preference }) => sum + (termMatches(preference, node) ? weight : 0), 0),
    );
    const most = Math.max(...sums);
    return sums.map((sum) => (most === 0 ? 0 : Math.floor((100 * sum) / most)));
  },
};

/** Amounts that scoring assumes for containers that request nothing. */
const ASSUMED = { cpu: 100, memory: 200 * 1024 * 1024 } as const;

function fitOf(spec: core.PodSpec, node: Node, cluster: ModelCluster): number {
  const shares = (["cpu", "memory"] as const).flatMap((resource) => {
    const capacity = amount(resource, node.status.allocatable?.[resource]);
    if (capacity === 0) return [];
    const used = podsOn(cluster, node.metadata.name).reduce(
      (sum, other) => sum + requestOf(other.spec, resource, ASSUMED[resource]),
      requestOf(spec, resource, ASSUMED[resource]),
    );
    return [used > capacity ? 0 : Math.floor(((capacity - used) * 100) / capacity)];
  });
  return shares.length === 0 ? 0 : Math.floor(shares.reduce((sum, one) => sum + one, 0) / shares.length);
}

const nodeResourcesFit: ModelScore = {
  plugin: "NodeResourcesFit",
  weight: 1,
  scores: ({ spec }, feasible, cluster) => feasible.map((node) => fitOf(spec, node, cluster)),
};

const balancedAllocation: ModelScore = {
  plugin: "NodeResourcesBalancedAllocation",
  weight: 1,
  scores: ({ spec }, feasible, cluster) =>
    feasible.map((node) => {
      const shares = ["cpu", "memory"].flatMap((resource) => {
        const capacity = amount(resource, node.status.allocatable?.[resource]);
        const used = podsOn(cluster, node.metadata.name).reduce(
          (sum, other) => sum + requestOf(other.spec, resource),
          requestOf(spec, resource),
        );
        return capacity === 0 ? [] : [Math.min(used / capacity, 1)];
      });
      const [one = 0, other = 0] = shares;
      return Math.floor((1 - (shares.length === 2 ? Math.abs((one - other) / 2) : 0)) * 100);
    }),
};

const MB = 1024 * 1024;

const fullName = (image: string): string =>
  image.lastIndexOf(":") <= image.lastIndexOf("/") ? `${image}:latest` : image;

const imageLocality: ModelScore = {
  plugin: "ImageLocality",
  weight: 1,
  scores({ spec }, feasible, { nodes }) {
    const sizeOn = (node: Node, image: string): number | undefined => {
      const found = (node.status.images ?? []).find(({ names = [] }) => names.includes(image));
      return found && Number(found.sizeBytes);
    };
    return feasible.map((node) => {
      let sum = 0;
      for (const { image = "" } of spec.containers) {
        const size = sizeOn(node, fullName(image));
        if (size === undefined) continue;
        const having = nodes.filter((other) => sizeOn(other, fullName(image)) !== undefined).length;
        sum += Math.trunc(size * (having / nodes.length));
      }
      const most = 1000 * MB * spec.containers.length;
      const bounded = Math.min(Math.max(sum, 23 * MB), most);
      return Math.floor((100 * (bounded - 23 * MB)) / (most - 23 * MB));
    });
  },
};

export const modelScores: readonly ModelScore[] = [
  taintToleration,
  nodeAffinity,
  nodeResourcesFit,
  spreadScore,
  podAffinityScore,
  balancedAllocation,
  imageLocality,
];
