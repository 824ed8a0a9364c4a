/** Extension points at which plugins of a profile can be chosen and ordered. */
export type ExtensionPoint = "filter" | "score" | "postFilter" | "reserve";

interface PluginPoints {
  readonly name: string;
  readonly points: readonly ExtensionPoint[];
  /** Default weight in scoring. */
  readonly weight: number;
}

const plugin = (name: string, points: readonly ExtensionPoint[], weight = 1): PluginPoints => ({
  name,
  points,
  weight,
});

/**
 * The plugins of the default profile in their order. Those without points are part of the scheduler itself: the order of
 * the queue, gates, and binding.
 */
export const DEFAULT_PLUGINS: readonly PluginPoints[] = [
  plugin("PrioritySort", []),
  plugin("NodeUnschedulable", ["filter"]),
  plugin("NodeName", ["filter"]),
  plugin("TaintToleration", ["filter", "score"], 3),
  plugin("NodeAffinity", ["filter", "score"], 2),
  plugin("NodePorts", ["filter"]),
  plugin("NodeResourcesFit", ["filter", "score"]),
  plugin("VolumeRestrictions", ["filter"]),
  plugin("EBSLimits", ["filter"]),
  plugin("GCEPDLimits", ["filter"]),
  plugin("NodeVolumeLimits", ["filter"]),
  plugin("AzureDiskLimits", ["filter"]),
  plugin("VolumeBinding", ["filter", "reserve"]),
  plugin("VolumeZone", ["filter"]),
  plugin("PodTopologySpread", ["filter", "score"], 2),
  plugin("InterPodAffinity", ["filter", "score"], 2),
  plugin("DefaultPreemption", ["postFilter"]),
  plugin("NodeResourcesBalancedAllocation", ["score"]),
  plugin("ImageLocality", ["score"]),
  plugin("DefaultBinder", []),
  plugin("SchedulingGates", []),
];

/** The plugins that a profile has only if its configuration enables them. */
const OPTIONAL_PLUGINS: readonly PluginPoints[] = [plugin("CinderLimits", ["filter"])];

/** All plugins. */
export const PLUGINS: readonly PluginPoints[] = [...DEFAULT_PLUGINS, ...OPTIONAL_PLUGINS];

/** The names of all plugins. */
export const PLUGIN_NAMES: readonly string[] = PLUGINS.map(({ name }) => name);

/** Plugins that cannot be disabled, because nothing can replace them. */
export const INDISPENSABLE: readonly string[] = DEFAULT_PLUGINS.filter(({ points }) => points.length === 0).map(
  ({ name }) => name,
);
