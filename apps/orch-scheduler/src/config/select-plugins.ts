import type { ExtensionPoint } from "../framework/extension-point.ts";
import { DEFAULT_PLUGINS, PLUGINS, type PluginPoints } from "./plugin-points.ts";
import type { ProfileConfiguration } from "./scheduler-configuration.ts";

/** A plugin at an extension point. */
export interface SelectedPlugin {
  readonly name: string;
  /** Has an effect in scoring only. At least 1. */
  readonly weight: number;
}

type Plugins = ProfileConfiguration["plugins"];
type PluginSet = Plugins["multiPoint"];
/** A plugin of a user: its points. */
export type KnownPlugin = Pick<PluginPoints, "name" | "points">;

const isDisabled = ({ disabled }: PluginSet, name: string): boolean =>
  disabled.some((entry) => entry.name === "*" || entry.name === name);

/** The default plugins, changed by `multiPoint`: a plugin that is enabled there takes its own place, or is appended. */
function everywhere(multiPoint: PluginSet): readonly SelectedPlugin[] {
  const result: SelectedPlugin[] = DEFAULT_PLUGINS.filter(({ name }) => !isDisabled(multiPoint, name));
  for (const entry of multiPoint.enabled) {
    const at = result.findIndex(({ name }) => name === entry.name);
    if (at < 0) result.push(entry);
    else result[at] = entry;
  }
  return result;
}

/**
 * The plugins of a profile at an extension point, in their order: first those that its set and `multiPoint` enable, then
 * those of `multiPoint` alone, then those of its set alone (upstream: `expandMultiPointPlugins`). The weight of the set
 * has precedence, and 0 is 1.
 */
export function selectPlugins(
  plugins: Plugins,
  point: ExtensionPoint,
  known: readonly KnownPlugin[] = PLUGINS,
): readonly SelectedPlugin[] {
  const set = plugins[point];
  const extending = (name: string): boolean =>
    known.some((plugin) => plugin.name === name && plugin.points.includes(point));
  const multi = everywhere(plugins.multiPoint).filter(({ name }) => extending(name) && !isDisabled(set, name));
  const own = set.enabled.filter(({ name }) => extending(name));
  const inBoth = ({ name }: SelectedPlugin): boolean => multi.some((other) => other.name === name);
  const inSet = ({ name }: SelectedPlugin): boolean => own.some((other) => other.name === name);
  return [...own.filter(inBoth), ...multi.filter((one) => !inSet(one)), ...own.filter((one) => !inBoth(one))].map(
    ({ name, weight }) => ({ name, weight: weight || 1 }),
  );
}

/** Errors of a profile's selection of plugins, with the original's messages; each begins with the field. */
export function selectionErrors(
  { schedulerName, plugins }: Pick<ProfileConfiguration, "schedulerName" | "plugins">,
  known: readonly KnownPlugin[] = PLUGINS,
): readonly string[] {
  const errors: string[] = [];
  for (const [point, { enabled }] of Object.entries(plugins))
    for (const [i, { name }] of enabled.entries()) {
      const at = `plugins.${point}.enabled[${i}].name`;
      const plugin = known.find((one) => one.name === name);
      if (plugin === undefined) errors.push(`${at}: plugin "${name}" does not exist`);
      else if (point !== "multiPoint" && !plugin.points.some((one) => one === point))
        errors.push(`${at}: plugin "${name}" does not extend ${interfaceOf(point)} plugin`);
    }
  const count = (point: ExtensionPoint) => selectPlugins(plugins, point, known).length;
  const of = `profile with scheduler name "${schedulerName}"`;
  const sorts = count("queueSort");
  if (sorts === 0) errors.push(`plugins.queueSort: at least one queue sort plugin is needed for ${of}`);
  if (sorts > 1) errors.push(`plugins.queueSort: only one queue sort plugin required for ${of}, but got ${sorts}`);
  if (count("bind") === 0) errors.push(`plugins.bind: at least one bind plugin is needed for ${of}`);
  return errors;
}

/** `score` → `ScorePlugin`. */
const interfaceOf = (point: string): string => `${point.slice(0, 1).toUpperCase()}${point.slice(1)}Plugin`;

/** Errors of profiles that order the queue, which they share, differently. */
export function queueSortErrors(
  profiles: readonly ProfileConfiguration[],
  knownOf: (profile: ProfileConfiguration) => readonly KnownPlugin[] = () => PLUGINS,
): readonly string[] {
  const sortOf = (profile: ProfileConfiguration): string | undefined =>
    selectPlugins(profile.plugins, "queueSort", knownOf(profile))[0]?.name;
  const argsOf = ({ pluginConfig }: ProfileConfiguration, name: string | undefined): string =>
    JSON.stringify(pluginConfig.find((entry) => entry.name === name) ?? null);
  const [first, ...others] = profiles;
  if (first === undefined) return [];
  const name = sortOf(first);
  return others.flatMap((profile, i) => {
    if (sortOf(profile) !== name) return [`profiles[${i + 1}].plugins.queueSort: has to match for all profiles`];
    if (argsOf(profile, name) === argsOf(first, name)) return [];
    return [`profiles[${i + 1}].pluginConfig: args of queueSort plugin ${name}: has to match for all profiles`];
  });
}
