import type { core } from "@orchernetes/api";
import type { Snapshot } from "../../snapshot/snapshot.ts";
import type { Choices } from "./choices.ts";
import { HOSTNAME, nodeTerm, ZONE } from "./random-pod.ts";

/** A function of the utilization in per cent to a score from 0 to 10. */
export type Shape = readonly { readonly utilization: number; readonly score: number }[];

/** The arguments of plugins that decisions depend on, as in the file of `--config`, with values for all of their defaults. */
export interface RandomArguments {
  readonly NodeAffinity: { readonly addedAffinity?: core.NodeAffinity };
  readonly NodeResourcesFit: {
    readonly ignoredResources: readonly string[];
    readonly ignoredResourceGroups: readonly string[];
    readonly scoringStrategy: {
      readonly type: "LeastAllocated" | "MostAllocated" | "RequestedToCapacityRatio";
      readonly resources: readonly { readonly name: string; readonly weight: number }[];
      readonly requestedToCapacityRatio?: { readonly shape: Shape };
    };
  };
  readonly NodeResourcesBalancedAllocation: { readonly resources: readonly { readonly name: string }[] };
  readonly InterPodAffinity: {
    readonly hardPodAffinityWeight: number;
    readonly ignorePreferredTermsOfExistingPods: boolean;
  };
  /** The shape has an effect with feature gate VolumeCapacityPriority only. */
  readonly VolumeBinding: { readonly shape: Shape };
  readonly PodTopologySpread: {
    readonly defaultingType: "System" | "List";
    readonly defaultConstraints: readonly Omit<core.TopologySpreadConstraint, "labelSelector">[];
  };
}

const CPU_AND_MEMORY = [
  { name: "cpu", weight: 1 },
  { name: "memory", weight: 1 },
] as const;

/** The arguments of plugins that the configuration does not name. */
export const DEFAULT_ARGUMENTS: RandomArguments = {
  NodeAffinity: {},
  NodeResourcesFit: {
    ignoredResources: [],
    ignoredResourceGroups: [],
    scoringStrategy: { type: "LeastAllocated", resources: CPU_AND_MEMORY },
  },
  NodeResourcesBalancedAllocation: { resources: CPU_AND_MEMORY.map(({ name }) => ({ name })) },
  InterPodAffinity: { hardPodAffinityWeight: 1, ignorePreferredTermsOfExistingPods: false },
  VolumeBinding: {
    shape: [
      { utilization: 0, score: 0 },
      { utilization: 100, score: 10 },
    ],
  },
  PodTopologySpread: { defaultingType: "System", defaultConstraints: [] },
};

const RESOURCES = ["cpu", "memory", "ephemeral-storage", "example.com/gpu", "example.com/unknown"] as const;

const unique = <T>(list: readonly T[]): T[] => [...new Set(list)];

const randomShape = (c: Choices): Shape =>
  unique([...c.some([0, 10, 35, 50, 80], 0.5), c.pick(90, 100)]).map((utilization) => ({
    utilization,
    score: c.below(11),
  }));

function scoringStrategy(c: Choices): RandomArguments["NodeResourcesFit"]["scoringStrategy"] {
  const type = c.pick("LeastAllocated", "MostAllocated", "RequestedToCapacityRatio");
  const resources = c.some(RESOURCES, 0.6).map((name) => ({ name, weight: 1 + c.below(5) }));
  return {
    type,
    resources: resources.length > 0 ? resources : CPU_AND_MEMORY,
    ...(type === "RequestedToCapacityRatio" && { requestedToCapacityRatio: { shape: randomShape(c) } }),
  };
}

function defaultConstraints(c: Choices): RandomArguments["PodTopologySpread"]["defaultConstraints"] {
  return c.some(["DoNotSchedule", "ScheduleAnyway"] as const, 0.6).flatMap((whenUnsatisfiable) =>
    c.some([HOSTNAME, ZONE, "rack"], 0.5).map((topologyKey) => ({
      maxSkew: 1 + c.below(3),
      topologyKey,
      whenUnsatisfiable,
      ...c.maybe(0.2, () => ({ minDomains: 1 + c.below(3) })),
      ...c.maybe(0.3, () => ({ nodeAffinityPolicy: c.pick("Honor", "Ignore") })),
      ...c.maybe(0.3, () => ({ nodeTaintsPolicy: c.pick("Honor", "Ignore") })),
    })),
  );
}

const addedAffinity = (c: Choices): core.NodeAffinity => ({
  ...c.maybe(0.5, () => ({
    requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: c.many(1, 2, () => nodeTerm(c)) },
  })),
  ...c.maybe(0.6, () => ({
    preferredDuringSchedulingIgnoredDuringExecution: c.many(1, 2, () => ({
      weight: 1 + c.below(100),
      preference: nodeTerm(c),
    })),
  })),
});

/** Arguments of some of the plugins. */
function randomArguments(c: Choices, scoresVolumes: boolean): Partial<RandomArguments> {
  return {
    ...c.maybe(0.3, () => ({ NodeAffinity: { addedAffinity: addedAffinity(c) } })),
    ...c.maybe(0.5, () => ({
      NodeResourcesFit: {
        ignoredResources: c.chance(0.2) ? ["example.com/gpu"] : [],
        ignoredResourceGroups: c.chance(0.2) ? ["example.com"] : [],
        scoringStrategy: scoringStrategy(c),
      },
    })),
    ...c.maybe(0.3, () => ({
      NodeResourcesBalancedAllocation: {
        resources: unique(["cpu", ...c.some(RESOURCES, 0.6)]).map((name) => ({ name })),
      },
    })),
    ...c.maybe(0.3, () => ({
      InterPodAffinity: {
        hardPodAffinityWeight: c.pick(0, 1, 40, 100),
        ignorePreferredTermsOfExistingPods: c.chance(0.5),
      },
    })),
    ...c.maybe(scoresVolumes ? 0.5 : 0, () => ({ VolumeBinding: { shape: randomShape(c) } })),
    ...c.maybe(0.4, () => ({
      PodTopologySpread: { defaultingType: "List" as const, defaultConstraints: defaultConstraints(c) },
    })),
  };
}

/** A configuration with one profile, of the default name; half of them have only defaults. */
export function randomConfiguration(c: Choices): Snapshot["configuration"] {
  const isDefault = c.chance(0.5);
  const scoresVolumes = !isDefault && c.chance(0.4);
  const args = isDefault ? {} : randomArguments(c, scoresVolumes);
  const pluginConfig = Object.entries(args).map(([name, given]) => ({ name, args: given }));
  return {
    profiles: [pluginConfig.length === 0 ? {} : { pluginConfig }],
    percentageOfNodesToScore: 0,
    featureGates: scoresVolumes ? { VolumeCapacityPriority: true } : {},
  };
}
