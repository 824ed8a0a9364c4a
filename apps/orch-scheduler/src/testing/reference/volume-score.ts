import { quantityOf } from "@orchernetes/apimachinery";
import { requestOf } from "@orchernetes/component-helpers";
import { argumentsOf } from "./model-arguments.ts";
import type { ModelScore } from "./reference-cluster.ts";
import { valueAt } from "./resource-scores.ts";
import { bindingsOn } from "./volume-filters.ts";

const bytes = (text: string): number => quantityOf(text).value();

/** With the feature gate: how well claims would use the volumes that they get on a node, as the mean over storage classes. */
export const volumeScore: ModelScore = {
  plugin: "VolumeBinding",
  weight: 1,
  scores(pod, feasible, cluster) {
    const { VolumeCapacityPriority: isScored } = cluster.objects.configuration.featureGates;
    const { shape } = argumentsOf(cluster, "VolumeBinding");
    return feasible.map((node) => {
      const bindings = isScored ? bindingsOn(pod, node, cluster) : [];
      const classes = Map.groupBy(bindings, ([, { spec }]) => spec.storageClassName ?? "");
      if (classes.size === 0) return 0;
      let sum = 0;
      for (const members of classes.values()) {
        const requested = members.reduce((total, [claim]) => total + bytes(requestOf(claim)), 0);
        const capacity = members.reduce((total, [, { spec }]) => total + bytes(spec.capacity?.storage ?? "0"), 0);
        sum += valueAt(shape, { requested, capacity });
      }
      return Math.round(sum / classes.size);
    });
  },
};
