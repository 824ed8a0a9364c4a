import { isDeepStrictEqual } from "node:util";
import { parseYaml } from "@orchernetes/apimachinery";
import { parseConfig } from "@orchernetes/config";
import { readLimitedFile } from "@orchernetes/kernel";
import {
  type ProfileConfiguration,
  type SchedulerConfiguration,
  schedulerConfigurationFile,
} from "../config/scheduler-configuration.ts";
import { loadUserPlugins } from "../config/user-plugins.ts";
import type { UserPlugin } from "../plugin-definition.ts";

/** Largest configuration, in bytes. */
const MAX_BYTES = 3 * 1024 * 1024;

/** The plugins of users that a snapshot names. */
export interface KnownPlugins {
  /** Those that were loaded, by `schedulerName` of the profile. */
  readonly plugins: ReadonlyMap<string, readonly UserPlugin[]>;
  /** The others, as text. */
  readonly leftOut: readonly string[];
}

type Entry = ProfileConfiguration["pluginConfig"][number];

const userEntries = ({ pluginConfig }: ProfileConfiguration): readonly Entry[] =>
  pluginConfig.filter(({ module }) => module !== undefined);

async function readTrusted(file: string): Promise<SchedulerConfiguration> {
  const bytes = await readLimitedFile(file, MAX_BYTES);
  return parseConfig(parseYaml(bytes.toString("utf8")).value, schedulerConfigurationFile, file);
}

/**
 * Loads the plugins of users that the profiles of a snapshot name: by the modules that a configuration of this machine names for
 * them, and with its arguments, which must be those of the snapshot. What a snapshot names is never loaded itself, as whoever
 * wrote it could then run code here.
 *
 * @param file the configuration; undefined: no plugin is loaded
 * @throws Error if the arguments differ, or a module cannot be loaded
 */
export async function loadKnownPlugins(
  profiles: readonly ProfileConfiguration[],
  file: string | undefined,
): Promise<KnownPlugins> {
  const trusted = file === undefined ? [] : (await readTrusted(file)).profiles;
  const plugins = new Map<string, readonly UserPlugin[]>();
  const leftOut: string[] = [];
  for (const profile of profiles) {
    const { schedulerName } = profile;
    const own = trusted.find((one) => one.schedulerName === schedulerName);
    const chosen = userEntries(profile).flatMap((entry): readonly Entry[] => {
      const known = own && userEntries(own).find(({ name }) => name === entry.name);
      if (known === undefined) leftOut.push(`plugin ${entry.name} of profile ${schedulerName}`);
      else if (!isDeepStrictEqual(known.args ?? {}, entry.args ?? {}))
        throw new Error(`${file}: profile ${schedulerName}: plugin ${entry.name}: want the arguments of the snapshot`);
      return known === undefined ? [] : [known];
    });
    if (chosen.length === 0) continue;
    const loaded = await loadUserPlugins({ ...profile, pluginConfig: chosen });
    if (loaded.errors.length > 0) throw new Error(`${file}: profile ${schedulerName}: ${loaded.errors.join("; ")}`);
    plugins.set(schedulerName, loaded.plugins);
  }
  return { plugins, leftOut };
}
