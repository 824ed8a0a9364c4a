import { type ClientConfig, ClientConfigError, inClusterConfig, loadClientConfig } from "@orchernetes/client";
import { ConfigurationError, type FlagValues, features, parseFeatureGates } from "@orchernetes/component";
import { electionFaults, type LockType } from "@orchernetes/leader-election";
import type { schedulerFlags } from "./flags/index.ts";

/** The parsed flags of orch-scheduler. */
export type Flags = FlagValues<typeof schedulerFlags>;

/** Leader election as the flags ask for it; undefined when it is off. */
export interface ElectionConfig {
  readonly lock: LockType;
  readonly namespace: string;
  readonly name: string;
  readonly leaseDurationMs: number;
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
}

/** Everything the daemon needs, checked. */
export interface Config {
  readonly flags: Flags;
  readonly client: ClientConfig;
  readonly tokenReviewClient: ClientConfig | undefined;
  readonly accessReviewClient: ClientConfig | undefined;
  readonly election: ElectionConfig | undefined;
  readonly warnings: readonly string[];
}

/**
 * Flags → configuration, all faults at once.
 * @throws ConfigurationError
 */
export function completeConfig(flags: Flags): Config {
  const faults: string[] = [];
  const load = (flag: string, work: () => ClientConfig): ClientConfig | undefined => {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof ClientConfigError)) throw error;
      faults.push(...error.faults.map((fault) => `--${flag}: ${fault}`));
      return undefined;
    }
  };
  const optional = (flag: "authentication-orchconfig" | "authorization-orchconfig") =>
    flags[flag] === "" ? undefined : load(flag, () => loadClientConfig(flags[flag]));
  const { orchconfig, master } = flags;
  const client = load("orchconfig", () =>
    orchconfig === "" && master === ""
      ? inClusterConfig()
      : loadClientConfig(orchconfig, master === "" ? {} : { masterOverride: master }),
  );
  const gates = parseFeatureGates(features, flags["feature-gates"]);
  if ("faults" in gates) faults.push(...gates.faults.map((fault) => `--feature-gates: ${fault}`));
  const election = {
    lock: flags["leader-elect-resource-lock"] as LockType,
    namespace: flags["leader-elect-resource-namespace"],
    name: flags["leader-elect-resource-name"],
    leaseDurationMs: flags["leader-elect-lease-duration"],
    renewDeadlineMs: flags["leader-elect-renew-deadline"],
    retryPeriodMs: flags["leader-elect-retry-period"],
  };
  if (flags["leader-elect"]) faults.push(...electionFaults(election));
  const tokenReviewClient = optional("authentication-orchconfig");
  const accessReviewClient = optional("authorization-orchconfig");
  if (faults.length > 0 || client === undefined) throw new ConfigurationError(faults);
  return {
    flags,
    client,
    tokenReviewClient,
    accessReviewClient,
    election: flags["leader-elect"] ? election : undefined,
    warnings: "warnings" in gates ? gates.warnings : [],
  };
}
