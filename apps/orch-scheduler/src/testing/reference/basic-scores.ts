import type { core } from "@orchernetes/api";
import { argumentsOf } from "./model-arguments.ts";
import { podAffinityScore } from "./pod-affinity.ts";
import type { ModelScore, Node } from "./reference-cluster.ts";
import { balanceOf, fitOf } from "./resource-scores.ts";
import { termMatches, tolerates } from "./selectors.ts";
import { spreadScore } from "./spread.ts";
import { volumeScore } from "./volume-score.ts";

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
  scores({ spec }, feasible, cluster) {
    const preferred = (affinity: core.NodeAffinity | undefined) =>
      affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
    const { addedAffinity } = argumentsOf(cluster, "NodeAffinity");
    const terms = [...preferred(addedAffinity), ...preferred(spec.affinity?.nodeAffinity)];
    const sums = feasible.map((node) =>
      terms.reduce((sum, { weight, preference }) => sum + (termMatches(preference, node) ? weight : 0), 0),
    );
    const most = Math.max(...sums);
    return sums.map((sum) => (most === 0 ? 0 : Math.floor((100 * sum) / most)));
  },
};

const nodeResourcesFit: ModelScore = {
  plugin: "NodeResourcesFit",
  weight: 1,
  scores: ({ spec }, feasible, cluster) => feasible.map((node) => fitOf(spec, node, cluster)),
};

const balancedAllocation: ModelScore = {
  plugin: "NodeResourcesBalancedAllocation",
  weight: 1,
  scores: ({ spec }, feasible, cluster) => feasible.map((node) => balanceOf(spec, node, cluster)),
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
  volumeScore,
  spreadScore,
  podAffinityScore,
  balancedAllocation,
  imageLocality,
];
