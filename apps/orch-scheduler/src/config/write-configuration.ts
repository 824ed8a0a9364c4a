import { writeFile } from "node:fs/promises";
import { formatDuration } from "@orchernetes/config";
import { stringify } from "yaml";
import type { SchedulerConfiguration } from "./scheduler-configuration.ts";

/** The document that is read to the configuration: durations are texts. */
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

/** The configuration as YAML, which `--config` reads to the same settings. */
export const configurationText = (config: SchedulerConfiguration): string =>
  stringify(configurationDocument(config), { aliasDuplicateObjects: false });

/** Writes the effective configuration (`--write-config-to`). @throws Error when the file cannot be written */
export const writeConfiguration = (path: string, config: SchedulerConfiguration): Promise<void> =>
  writeFile(path, configurationText(config), { mode: 0o600 });
