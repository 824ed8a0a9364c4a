import { DEFAULT_PLUGINS, type ExtensionPoint, INDISPENSABLE, PLUGINS } from "./plugin-points.ts";
import type { ProfileConfiguration } from "./scheduler-configuration.ts";

/** A plugin at an extension point. */
export interface SelectedPlugin {
  readonly name: string;
  /** Has an effect in scoring only. */
  readonly weight: number;
}

type Plugins = ProfileConfiguration["plugins"];
type PluginSet = Plugins["multiPoint"];

const isDisabled = ({ disabled }: PluginSet, name: string): boolean =>
  disabled.some((entry) => entry.name === "*" || entry.name === name);

/**
 * Applies a set to a list of plugins: disabled ones are removed; enabled ones take the place of the plugin with their
 * name, or are appended.
 */
function apply(base: readonly SelectedPlugin[], set: PluginSet): readonly SelectedPlugin[] {
  const result = base.filter(({ name }) => !isDisabled(set, name));
  for (const { name, weight } of set.enabled) {
    const at = result.findIndex((entry) => entry.name === name);
    const entry = { name, weight: weight || (result[at]?.weight ?? defaultWeight(name)) };
    if (at < 0) result.push(entry);
    else result[at] = entry;
  }
  return result;
}

const defaultWeight = (name: string): number => DEFAULT_PLUGINS.find((plugin) => plugin.name === name)?.weight ?? 1;

const implementsPoint = (name: string, point: ExtensionPoint): boolean =>
  PLUGINS.some((plugin) => plugin.name === name && plugin.points.includes(point));

/**
 * The plugins of a profile at an extension point, in their order: the defaults, changed by `multiPoint`, then by the
 * set of the point. A weight of 0 means the default weight.
 */
export function selectPlugins(plugins: Plugins, point: ExtensionPoint): readonly SelectedPlugin[] {
  const everywhere = apply(
    DEFAULT_PLUGINS.map(({ name, weight }) => ({ name, weight })),
    plugins.multiPoint,
  );
  return apply(
    everywhere.filter(({ name }) => implementsPoint(name, point)),
    plugins[point],
  ).filter(({ name }) => implementsPoint(name, point));
}

/** Errors of a profile's selection of plugins: one line each, by field. */
export function pluginErrors(plugins: Plugins): readonly string[] {
  const errors: string[] = [];
  for (const point of ["filter", "score", "postFilter", "reserve"] as const)
    for (const { name } of plugins[point].enabled)
      if (!implementsPoint(name, point))
        errors.push(`plugins.${point}.enabled: plugin "${name}" has no part there; want one that does`);
  for (const [point, set] of Object.entries(plugins))
    for (const { name } of set.disabled)
      if (INDISPENSABLE.includes(name))
        errors.push(`plugins.${point}.disabled: plugin "${name}" cannot be disabled: nothing stands in for it`);
  return errors;
}
