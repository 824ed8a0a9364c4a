import { dirname } from "node:path";
import { type ClientConfig, inClusterConfig, loadClientConfig } from "@orchernetes/client";
import {
  ConfigurationError,
  type FlagValues,
  features,
  flagFile,
  idleGateWarnings,
  NamedFiles,
  parseFeatureGates,
  readServingFiles,
} from "@orchernetes/component";
import { ConfigFileError } from "@orchernetes/config";
import { loadSettings } from "./config/load-settings.ts";
import type { SchedulerConfiguration } from "./config/scheduler-configuration.ts";
import type { schedulerFlags } from "./flags/index.ts";
import { switchedGates } from "./switched-gates.ts";

/** The parsed flags of orch-scheduler. */
export type Flags = FlagValues<typeof schedulerFlags>;

/** Everything the daemon needs, checked. */
export interface Config {
  readonly flags: Flags;
  readonly settings: SchedulerConfiguration;
  readonly client: ClientConfig;
  /** Requests a second, and at once; undefined is unlimited. */
  readonly rateLimit: { readonly qps: number; readonly burst: number } | undefined;
  readonly tokenReviewClient: ClientConfig | undefined;
  readonly accessReviewClient: ClientConfig | undefined;
  readonly warnings: readonly string[];
}

/**
 * Flags and file → configuration, all errors at once.
 *
 * @param explicit names of the flags that were on the command line
 * @throws ConfigurationError
 */
export async function completeConfig(flags: Flags, explicit: ReadonlySet<string>): Promise<Config> {
  const files = new NamedFiles();
  const { errors } = files;
  const loaded = await loadSettings(flags, explicit).catch((error: unknown) => {
    if (!(error instanceof ConfigFileError)) throw error;
    errors.push(...error.errors);
    return undefined;
  });
  const settings = loaded?.settings;
  const client = await loadClient(flags, settings, files);
  const gates = parseFeatureGates(features, flags["feature-gates"]);
  if ("errors" in gates) errors.push(...gates.errors.map((error) => `--feature-gates: ${error}`));
  const optional = async (flag: "authentication-orchconfig" | "authorization-orchconfig") =>
    flags[flag] === "" ? undefined : files.client(flagFile(flags, flag), () => loadClientConfig(flags[flag]));
  const tokenReviewClient = await optional("authentication-orchconfig");
  const accessReviewClient = await optional("authorization-orchconfig");
  await readServingFiles(files, flags, "orch-scheduler");
  if (flags["write-config-to"] !== "")
    await files.writableDirectory({ from: "--write-config-to", path: dirname(flags["write-config-to"]) });
  if (errors.length > 0 || client === undefined || loaded === undefined || settings === undefined)
    throw new ConfigurationError(errors);
  const { qps, burst } = settings.clientConnection;
  return {
    flags,
    settings,
    client,
    rateLimit: loaded.limited && qps > 0 ? { qps, burst } : undefined,
    tokenReviewClient,
    accessReviewClient,
    warnings: [
      ...loaded.warnings,
      ...("warnings" in gates ? gates.warnings : []),
      ...idleGateWarnings({
        daemon: "orch-scheduler",
        features,
        named: flags["feature-gates"],
        switched: switchedGates,
      }),
    ],
  };
}

/** The client of the settings; without settings, because they have errors, as far as flags name one. */
async function loadClient(
  flags: Flags,
  settings: SchedulerConfiguration | undefined,
  files: NamedFiles,
): Promise<ClientConfig | undefined> {
  const { config, master } = flags;
  const path = settings === undefined ? flags.orchconfig : settings.clientConnection.orchconfig;
  // The file that cannot be used may have named one.
  if (settings === undefined && config !== "" && path === "") return undefined;
  const inFile = settings !== undefined && config !== "";
  const from = inFile ? `--config: file "${config}", field clientConnection.orchconfig` : "--orchconfig";
  return files.client({ from, path }, () =>
    path === "" && master === ""
      ? inClusterConfig()
      : loadClientConfig(path, master === "" ? {} : { masterOverride: master }),
  );
}
