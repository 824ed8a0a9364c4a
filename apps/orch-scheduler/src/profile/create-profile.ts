import { PLUGINS } from "../config/plugin-points.ts";
import type { ProfileConfiguration } from "../config/scheduler-configuration.ts";
import { selectPlugins } from "../config/select-plugins.ts";
import { type ExtensionPoint, implementsPoint, type PointPlugins } from "../framework/extension-point.ts";
import type { Plugin } from "../framework/interfaces.ts";
import type { Profile } from "../framework/profile.ts";
import type { UserPlugin } from "../plugin-definition.ts";
import type { PluginHandle } from "../plugin-handle.ts";
import { createInTreePlugins } from "./in-tree-plugins.ts";

/**
 * Creates a profile with the plugins that its configuration selects. Each profile has its own instances, with their
 * caches.
 *
 * @param percentageToScore of the whole configuration; used unless the profile has its own
 * @param userPlugins those that the configuration of the profile names, @default none
 * @throws Error if a user's plugin cannot be created, or lacks a method of a point that it names
 */
export function createProfile(
  config: ProfileConfiguration,
  percentageToScore: number,
  handle: PluginHandle,
  userPlugins: readonly UserPlugin[] = [],
): Profile {
  const plugins = [...createInTreePlugins(config, handle), ...userPlugins.map((plugin) => createNamed(plugin, handle))];
  const known = [...PLUGINS, ...userPlugins];
  const weighted = <P extends ExtensionPoint>(point: P) =>
    selectPlugins(config.plugins, point, known).flatMap(({ name, weight }) => {
      const plugin = plugins.find((one) => one.name === name);
      return plugin !== undefined && implementsPoint(plugin, point) ? [{ plugin, weight }] : [];
    });
  const at = <P extends ExtensionPoint>(point: P): readonly PointPlugins[P][] =>
    weighted(point).map(({ plugin }) => plugin);
  const [queueSort] = at("queueSort");
  if (queueSort === undefined)
    throw new Error(
      `at least one queue sort plugin is needed for profile with scheduler name "${config.schedulerName}"`,
    );
  return {
    schedulerName: config.schedulerName,
    // Without the gate, the field of pods has no effect.
    preEnqueues: at("preEnqueue").filter(
      ({ name }) => name !== "SchedulingGates" || handle.isEnabled("PodSchedulingReadiness"),
    ),
    queueSort,
    preFilters: at("preFilter"),
    filters: at("filter"),
    postFilters: at("postFilter"),
    preScores: at("preScore"),
    scores: weighted("score").map((one) =>
      userPlugins.some(({ name }) => name === one.plugin.name) ? { ...one, isForeign: true } : one,
    ),
    reserves: at("reserve"),
    permits: at("permit"),
    preBinds: at("preBind"),
    binds: at("bind"),
    postBinds: at("postBind"),
    percentageOfNodesToScore: config.percentageOfNodesToScore ?? percentageToScore,
  };
}

function createNamed({ name, points, create }: UserPlugin, handle: PluginHandle): Plugin {
  const plugin = create(handle);
  if (plugin.name !== name)
    throw new Error(`plugin "${name}" has the name "${plugin.name}"; want that of its definition`);
  const lacking = points.find((point) => !implementsPoint(plugin, point));
  if (lacking !== undefined) throw new Error(`plugin "${name}" lacks the methods of extension point ${lacking}`);
  return plugin;
}
