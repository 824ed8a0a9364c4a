import { ARGUMENTS, type Arguments } from "../config/plugin-args.ts";
import type { ProfileConfiguration } from "../config/scheduler-configuration.ts";
import type { Plugin } from "../framework/interfaces.ts";
import type { PluginHandle } from "../plugin-handle.ts";
import { balancedAllocation } from "../plugins/balanced-allocation.ts";
import { defaultBinder } from "../plugins/default-binder.ts";
import { defaultPreemption } from "../plugins/default-preemption/default-preemption.ts";
import { imageLocality } from "../plugins/image-locality.ts";
import { interPodAffinityFilter } from "../plugins/inter-pod-affinity/inter-pod-affinity-filter.ts";
import { interPodAffinityScore } from "../plugins/inter-pod-affinity/inter-pod-affinity-score.ts";
import { nodeAffinityFilter, nodeAffinityScore } from "../plugins/node-affinity.ts";
import { createNodeMatches } from "../plugins/node-matches.ts";
import { nodeName } from "../plugins/node-name.ts";
import { nodePorts } from "../plugins/node-ports.ts";
import { nodeResourcesFit } from "../plugins/node-resources-fit.ts";
import { nodeUnschedulable } from "../plugins/node-unschedulable.ts";
import { prioritySort } from "../plugins/priority-sort.ts";
import { resourceAllocation, type ScoringStrategy } from "../plugins/resource-scores.ts";
import { schedulingGates } from "../plugins/scheduling-gates.ts";
import { taintToleration } from "../plugins/taint-toleration.ts";
import { SYSTEM_DEFAULTS } from "../plugins/topology-spread/constraints.ts";
import {
  podTopologySpreadFilter,
  podTopologySpreadScore,
  type TopologySpreadOptions,
} from "../plugins/topology-spread/pod-topology-spread.ts";
import { selectorSpread } from "../plugins/topology-spread/selector-spread.ts";
import { maxVolumesOf } from "../plugins/volumes/max-volumes.ts";
import { volumeBinding } from "../plugins/volumes/volume-binding.ts";
import { inTreeLimits, nodeVolumeLimits } from "../plugins/volumes/volume-limits.ts";
import { volumeRestrictions } from "../plugins/volumes/volume-restrictions.ts";
import { volumeZone } from "../plugins/volumes/volume-zone.ts";

/** The arguments of a plugin, which the schema has checked. */
function argumentsOf<N extends keyof Arguments>({ pluginConfig }: ProfileConfiguration, name: N): Arguments[N] {
  const given = pluginConfig.find((entry) => entry.name === name)?.args;
  return (given ?? ARGUMENTS[name].parse({})) as Arguments[N];
}

function spreadOptions(
  { defaultingType, defaultConstraints }: Arguments["PodTopologySpread"],
  { cluster, isEnabled }: PluginHandle,
  nodeMatches: TopologySpreadOptions["nodeMatches"],
): TopologySpreadOptions {
  const system = defaultingType === "System";
  return {
    defaults: system ? SYSTEM_DEFAULTS : (defaultConstraints as TopologySpreadOptions["defaults"]),
    lenientDefaults: system,
    selectorOf: cluster.selectorOf,
    nodeMatches,
    features: {
      minDomains: isEnabled("MinDomainsInPodTopologySpread"),
      inclusionPolicies: isEnabled("NodeInclusionPolicyInPodTopologySpread"),
      matchLabelKeys: isEnabled("MatchLabelKeysInPodTopologySpread"),
    },
  };
}

/** Creates the scheduler's own plugins for one profile. They share caches. */
export function createInTreePlugins(config: ProfileConfiguration, handle: PluginHandle): readonly Plugin[] {
  const { cluster, isEnabled } = handle;
  const { volumes, namespaces, budgets, random, reserveVolumes } = cluster;
  const nodeMatches = createNodeMatches();
  const spread = spreadOptions(argumentsOf(config, "PodTopologySpread"), handle, nodeMatches);
  const { addedAffinity } = argumentsOf(config, "NodeAffinity");
  const given = argumentsOf(config, "NodeResourcesFit");
  const fit = { ...given, ignoredResources: [...given.ignoredResources, ...(handle.ignoredResources ?? [])] };
  const { bindTimeoutSeconds, shape } = argumentsOf(config, "VolumeBinding");
  const { resources } = argumentsOf(config, "NodeResourcesBalancedAllocation");
  const maxVolumes = maxVolumesOf(process.env, handle.logger);
  const added = addedAffinity as Parameters<typeof nodeAffinityScore>[0];
  return [
    prioritySort,
    nodeUnschedulable,
    nodeName,
    taintToleration,
    { ...nodeAffinityFilter(nodeMatches, added), ...nodeAffinityScore(added) },
    nodePorts,
    { ...nodeResourcesFit(fit), ...resourceAllocation(fit.scoringStrategy as ScoringStrategy) },
    volumeRestrictions(volumes, isEnabled("ReadWriteOncePod")),
    ...inTreeLimits.map((filter) => filter(volumes, maxVolumes)),
    nodeVolumeLimits(volumes),
    volumeBinding(volumes, {
      reserveVolumes,
      bindTimeoutMs: bindTimeoutSeconds * 1000,
      scoring: isEnabled("VolumeCapacityPriority") ? { shape } : undefined,
    }),
    volumeZone(volumes),
    { ...podTopologySpreadFilter(spread), ...podTopologySpreadScore(spread) },
    {
      ...interPodAffinityFilter(namespaces),
      ...interPodAffinityScore(namespaces, argumentsOf(config, "InterPodAffinity")),
    },
    defaultPreemption({
      ...argumentsOf(config, "DefaultPreemption"),
      budgets,
      victimsHaveCondition: isEnabled("PodDisruptionConditions"),
      random,
    }),
    balancedAllocation(resources.map(({ name }) => name)),
    imageLocality,
    selectorSpread(cluster.selectorOf),
    defaultBinder(handle.client),
    schedulingGates,
  ];
}
