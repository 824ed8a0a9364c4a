import { writeFile } from "node:fs/promises";
import { formatDuration } from "@orchernetes/config";
import { stringify } from "yaml";
import type { SchedulerConfiguration } from "./scheduler-configuration.ts";

/** The configuration in the form of its file: durations are strings. */
export function configurationDocument(config: SchedulerConfiguration): object {
  const { leaderElection, extenders } = config;
  const { leaseDuration, renewDeadline, retryPeriod } = leaderElection;
  const durations = {
    leaseDuration: formatDuration(leaseDuration),
    renewDeadline: formatDuration(renewDeadline),
    retryPeriod: formatDuration(retryPeriod),
  };
  return {
    ...config,
    leaderElection: { ...leaderElection, ...durations },
    extenders: extenders.map((one) => ({ ...one, httpTimeout: formatDuration(one.httpTimeout) })),
  };
}

/** The configuration as YAML. `--config` reads the same settings from it. */
export const configurationText = (config: SchedulerConfiguration): string =>
  stringify(configurationDocument(config), { aliasDuplicateObjects: false });

/** Writes the effective configuration (`--write-config-to`). @throws Error when the file cannot be written */
export const writeConfiguration = (path: string, config: SchedulerConfiguration): Promise<void> =>
  writeFile(path, configurationText(config), { mode: 0o600 });
