import type { Selector } from "@orchernetes/apimachinery";
import type { PodInfo } from "./cache/pod-info.ts";
import {
  type DefaultPreemptionArgs,
  defaultPreemptionArgs,
  type InterPodAffinityArgs,
  interPodAffinityArgs,
  type NodeResourcesFitArgs,
  nodeResourcesFitArgs,
  type PodTopologySpreadArgs,
  podTopologySpreadArgs,
  type VolumeBindingArgs,
  volumeBindingArgs,
} from "./config/plugin-args.ts";
import type { ExtensionPoint } from "./config/plugin-points.ts";
import type { ProfileConfiguration } from "./config/scheduler-configuration.ts";
import { selectPlugins } from "./config/select-plugins.ts";
import type { FilterPlugin, PostFilterPlugin, ReservePlugin, ScorePlugin } from "./framework/interfaces.ts";
import type { Profile } from "./framework/profile.ts";
import { defaultPreemption } from "./plugins/default-preemption/default-preemption.ts";
import type { Budgets } from "./plugins/default-preemption/disruption-budgets.ts";
import { imageLocality } from "./plugins/image-locality.ts";
import { interPodAffinityFilter } from "./plugins/inter-pod-affinity/inter-pod-affinity-filter.ts";
import { interPodAffinityScore } from "./plugins/inter-pod-affinity/inter-pod-affinity-score.ts";
import type { Namespaces } from "./plugins/inter-pod-affinity/term-matching.ts";
import { nodeAffinityFilter, nodeAffinityScore } from "./plugins/node-affinity.ts";
import { createNodeMatches } from "./plugins/node-matches.ts";
import { nodeName } from "./plugins/node-name.ts";
import { nodePorts } from "./plugins/node-ports.ts";
import { nodeResourcesFit } from "./plugins/node-resources-fit.ts";
import { nodeUnschedulable } from "./plugins/node-unschedulable.ts";
import { balancedAllocation, resourceAllocation } from "./plugins/resource-scores.ts";
import { taintTolerationFilter, taintTolerationScore } from "./plugins/taint-toleration.ts";
import { SYSTEM_DEFAULTS } from "./plugins/topology-spread/constraints.ts";
import {
  podTopologySpreadFilter,
  podTopologySpreadScore,
  type TopologySpreadOptions,
} from "./plugins/topology-spread/pod-topology-spread.ts";
import { volumeBinding } from "./plugins/volumes/volume-binding.ts";
import { inTreeLimits, nodeVolumeLimits } from "./plugins/volumes/volume-limits.ts";
import { volumeRestrictions } from "./plugins/volumes/volume-restrictions.ts";
import { volumeZone } from "./plugins/volumes/volume-zone.ts";
import type { ReserveVolumes } from "./volumes/reserve-volumes.ts";
import type { Volumes } from "./volumes/volumes.ts";

/** What plugins read of the cluster besides nodes and pods. */
export interface ClusterState {
  readonly namespaces: Namespaces;
  readonly volumes: Volumes;
  readonly reserveVolumes: ReserveVolumes;
  readonly budgets: Budgets;
  /** Selector of the pods of a pod's services and controller; undefined if there are none. */
  readonly selectorOf: (pod: PodInfo) => Selector | undefined;
  /** [0, 1). */
  readonly random: () => number;
}

interface Arguments {
  readonly preemption: DefaultPreemptionArgs;
  readonly affinity: InterPodAffinityArgs;
  readonly fit: NodeResourcesFitArgs;
  readonly spread: PodTopologySpreadArgs;
  readonly volumes: VolumeBindingArgs;
}

function argumentsOf({ pluginConfig }: ProfileConfiguration): Arguments {
  // Names are unique; the schema checks that.
  const found: { -readonly [K in keyof Arguments]: Arguments[K] } = {
    preemption: defaultPreemptionArgs.parse({}),
    affinity: interPodAffinityArgs.parse({}),
    fit: nodeResourcesFitArgs.parse({}),
    spread: podTopologySpreadArgs.parse({}),
    volumes: volumeBindingArgs.parse({}),
  };
  for (const entry of pluginConfig) {
    if (entry.name === "DefaultPreemption") found.preemption = entry.args;
    else if (entry.name === "InterPodAffinity") found.affinity = entry.args;
    else if (entry.name === "NodeResourcesFit") found.fit = entry.args as NodeResourcesFitArgs;
    else if (entry.name === "VolumeBinding") found.volumes = entry.args;
    else found.spread = entry.args as PodTopologySpreadArgs;
  }
  return found;
}

function spreadOptions(
  { defaultingType, defaultConstraints }: PodTopologySpreadArgs,
  { selectorOf }: ClusterState,
  nodeMatches: TopologySpreadOptions["nodeMatches"],
): TopologySpreadOptions {
  const system = defaultingType === "System";
  return { defaults: system ? SYSTEM_DEFAULTS : defaultConstraints, lenientDefaults: system, selectorOf, nodeMatches };
}

/**
 * Creates a profile with the plugins that its configuration selects. Each profile has its own instances, with their
 * caches.
 *
 * @param percentageToScore of the whole configuration; used unless the profile has its own
 */
export function createProfile(config: ProfileConfiguration, percentageToScore: number, cluster: ClusterState): Profile {
  const args = argumentsOf(config);
  const nodeMatches = createNodeMatches();
  const spread = spreadOptions(args.spread, cluster, nodeMatches);
  const filters: readonly FilterPlugin[] = [
    nodeUnschedulable,
    nodeName,
    taintTolerationFilter,
    nodeAffinityFilter(nodeMatches),
    nodePorts,
    nodeResourcesFit,
    volumeRestrictions(cluster.volumes),
    ...inTreeLimits.map((filter) => filter(cluster.volumes)),
    nodeVolumeLimits(cluster.volumes),
    volumeBinding(cluster.volumes),
    volumeZone(cluster.volumes),
    podTopologySpreadFilter(spread),
    interPodAffinityFilter(cluster.namespaces),
  ];
  const scores: readonly ScorePlugin[] = [
    taintTolerationScore,
    nodeAffinityScore,
    resourceAllocation(args.fit.scoringStrategy),
    podTopologySpreadScore(spread),
    interPodAffinityScore(cluster.namespaces, args.affinity),
    balancedAllocation,
    imageLocality,
  ];
  const postFilters: readonly PostFilterPlugin[] = [
    defaultPreemption({ ...args.preemption, budgets: cluster.budgets, random: cluster.random }),
  ];
  const bindTimeoutMs = args.volumes.bindTimeoutSeconds * 1000;
  const reserves: readonly ReservePlugin[] = [
    { name: "VolumeBinding", reserve: (pod, node) => cluster.reserveVolumes(pod, node, bindTimeoutMs) },
  ];
  const chosen = <T extends { readonly name: string }>(point: ExtensionPoint, plugins: readonly T[]) =>
    selectPlugins(config.plugins, point).flatMap(({ name, weight }) => {
      const plugin = plugins.find((one) => one.name === name);
      return plugin === undefined ? [] : [{ plugin, weight }];
    });
  return {
    schedulerName: config.schedulerName,
    filters: chosen("filter", filters).map(({ plugin }) => plugin),
    reserves: chosen("reserve", reserves).map(({ plugin }) => plugin),
    scores: chosen("score", scores),
    postFilters: chosen("postFilter", postFilters).map(({ plugin }) => plugin),
    percentageOfNodesToScore: config.percentageOfNodesToScore ?? percentageToScore,
  };
}
