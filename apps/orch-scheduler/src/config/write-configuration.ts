import { writeFile } from "node:fs/promises";
import { formatDuration } from "@orchernetes/config";
import { stringify } from "yaml";
import type { SchedulerConfiguration } from "./scheduler-configuration.ts";

/** The configuration as YAML, which `--config` reads to the same settings. */
export function configurationText(config: SchedulerConfiguration): string {
  const { leaderElection } = config;
  const { leaseDuration, renewDeadline, retryPeriod } = leaderElection;
  const durations = {
    leaseDuration: formatDuration(leaseDuration),
    renewDeadline: formatDuration(renewDeadline),
    retryPeriod: formatDuration(retryPeriod),
  };
  return stringify(
    { ...config, leaderElection: { ...leaderElection, ...durations } },
    { aliasDuplicateObjects: false },
  );
}

/** Writes the effective configuration (`--write-config-to`). @throws Error when the file cannot be written */
export const writeConfiguration = (path: string, config: SchedulerConfiguration): Promise<void> =>
  writeFile(path, configurationText(config), { mode: 0o600 });
