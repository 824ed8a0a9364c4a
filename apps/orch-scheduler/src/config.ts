import { type ClientConfig, ClientConfigError, inClusterConfig, loadClientConfig } from "@orchernetes/client";
import { ConfigurationError, type FlagValues, features, parseFeatureGates } from "@orchernetes/component";
import { ConfigFileError } from "@orchernetes/config";
import { loadSettings } from "./config/load-settings.ts";
import type { SchedulerConfiguration } from "./config/scheduler-configuration.ts";
import type { schedulerFlags } from "./flags/index.ts";

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
 * Flags and file → configuration, all faults at once.
 *
 * @param explicit names of the flags that were on the command line
 * @throws ConfigurationError
 */
export async function completeConfig(flags: Flags, explicit: ReadonlySet<string>): Promise<Config> {
  const faults: string[] = [];
  const load = (flag: string, work: () => ClientConfig): ClientConfig | undefined => {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof ClientConfigError)) throw error;
      faults.push(...error.faults.map((fault) => `${flag}: ${fault}`));
      return undefined;
    }
  };
  const loaded = await loadSettings(flags, explicit).catch((error: unknown) => {
    if (!(error instanceof ConfigFileError)) throw error;
    faults.push(...error.faults);
    return undefined;
  });
  const optional = (flag: "authentication-orchconfig" | "authorization-orchconfig") =>
    flags[flag] === "" ? undefined : load(`--${flag}`, () => loadClientConfig(flags[flag]));
  const settings = loaded?.settings;
  const client = settings && load(...clientSource(flags, settings));
  const gates = parseFeatureGates(features, flags["feature-gates"]);
  if ("faults" in gates) faults.push(...gates.faults.map((fault) => `--feature-gates: ${fault}`));
  const tokenReviewClient = optional("authentication-orchconfig");
  const accessReviewClient = optional("authorization-orchconfig");
  if (faults.length > 0 || client === undefined || loaded === undefined || settings === undefined)
    throw new ConfigurationError(faults);
  const { qps, burst } = settings.clientConnection;
  return {
    flags,
    settings,
    client,
    rateLimit: loaded.limited && qps > 0 ? { qps, burst } : undefined,
    tokenReviewClient,
    accessReviewClient,
    warnings: [...loaded.warnings, ...("warnings" in gates ? gates.warnings : [])],
  };
}

function clientSource(flags: Flags, { clientConnection }: SchedulerConfiguration): [string, () => ClientConfig] {
  const { orchconfig } = clientConnection;
  const { master } = flags;
  const name = flags.config === "" ? "--orchconfig" : `--config: file "${flags.config}", clientConnection.orchconfig`;
  if (orchconfig === "" && master === "") return [name, inClusterConfig];
  return [name, () => loadClientConfig(orchconfig, master === "" ? {} : { masterOverride: master })];
}
