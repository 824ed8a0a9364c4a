import type { ExtensionPoint } from "../framework/extension-point.ts";

/** A plugin, the extension points that it implements, and its weight in scoring by default. */
export interface PluginPoints {
  readonly name: string;
  readonly points: readonly ExtensionPoint[];
  readonly weight: number;
}

const plugin = (name: string, points: readonly ExtensionPoint[], weight = 0): PluginPoints => ({
  name,
  points,
  weight,
});

const both = ["preFilter", "filter"] as const;

/** The plugins of the default profile in their order, with the weights of the default configuration. */
export const DEFAULT_PLUGINS: readonly PluginPoints[] = [
  plugin("PrioritySort", ["queueSort"]),
  plugin("NodeUnschedulable", ["filter"]),
  plugin("NodeName", ["filter"]),
  plugin("TaintToleration", ["filter", "preScore", "score"], 3),
  plugin("NodeAffinity", [...both, "preScore", "score"], 2),
  plugin("NodePorts", both),
  plugin("NodeResourcesFit", [...both, "score"], 1),
  plugin("VolumeRestrictions", both),
  plugin("EBSLimits", ["filter"]),
  plugin("GCEPDLimits", ["filter"]),
  plugin("NodeVolumeLimits", ["filter"]),
  plugin("AzureDiskLimits", ["filter"]),
  plugin("VolumeBinding", [...both, "score", "reserve", "preBind"]),
  plugin("VolumeZone", both),
  plugin("PodTopologySpread", [...both, "preScore", "score"], 2),
  plugin("InterPodAffinity", [...both, "preScore", "score"], 2),
  plugin("DefaultPreemption", ["postFilter"]),
  plugin("NodeResourcesBalancedAllocation", ["score"], 1),
  plugin("ImageLocality", ["score"], 1),
  plugin("DefaultBinder", ["bind"]),
  plugin("SchedulingGates", ["preEnqueue"]),
];

/** The plugins that a profile has only if its configuration enables them. */
const OPTIONAL_PLUGINS: readonly PluginPoints[] = [
  plugin("CinderLimits", ["filter"]),
  plugin("SelectorSpread", ["preScore", "score"]),
];

/** A deprecated plugin, which configurations of v1 must not enable. */
export const INVALID_IN_V1 = "SelectorSpread";

/** All plugins of the scheduler itself. */
export const PLUGINS: readonly PluginPoints[] = [...DEFAULT_PLUGINS, ...OPTIONAL_PLUGINS];
