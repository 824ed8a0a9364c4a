import { defaultAdmissionPlugins, implementedPlugins } from "./plugins.ts";

/** The flags that choose plugins. */
export interface PluginFlags {
  readonly "enable-admission-plugins": readonly string[];
  readonly "disable-admission-plugins": readonly string[];
  readonly "admission-control": readonly string[];
}

/**
 * The plugins that run: those enabled by default and those enabled, without those disabled; or those of `--admission-control`
 * alone. The order of names in flags does not matter.
 * @param report called with the flag and its error
 */
export function selectPlugins(
  flags: PluginFlags,
  report: (flag: keyof PluginFlags, text: string) => void,
): ReadonlySet<string> {
  const { "enable-admission-plugins": enable, "disable-admission-plugins": disable, "admission-control": only } = flags;
  const checkNames = (flag: keyof PluginFlags, names: readonly string[]) => {
    for (const name of names)
      if (!implementedPlugins.includes(name))
        report(flag, `this server has no plugin ${JSON.stringify(name)}; it has ${implementedPlugins.join(", ")}`);
  };
  if (only.length > 0) {
    if (enable.length > 0 || disable.length > 0)
      report(
        "admission-control",
        "admission-control and enable-admission-plugins/disable-admission-plugins flags are mutually exclusive",
      );
    checkNames("admission-control", only);
    return new Set(only.filter((name) => implementedPlugins.includes(name)));
  }
  for (const name of enable)
    if (disable.includes(name))
      report(
        "enable-admission-plugins",
        `${JSON.stringify(name)} is in --disable-admission-plugins too; it can be in one of them`,
      );
  checkNames("enable-admission-plugins", enable);
  const chosen = [...defaultAdmissionPlugins, ...enable];
  return new Set(chosen.filter((name) => !disable.includes(name) && implementedPlugins.includes(name)));
}

const deprecated: readonly string[] = ["PersistentVolumeLabel", "SecurityContextDeny"];

/** A warning for each plugin that runs and will be removed. */
export const deprecationWarnings = (plugins: ReadonlySet<string>): readonly string[] =>
  deprecated
    .filter((name) => plugins.has(name))
    .map(
      (name) =>
        `${name} admission controller is deprecated. Please remove this controller from your configuration files and scripts.`,
    );
