import { type ClientConfig, ClientConfigError, inClusterConfig, loadClientConfig } from "@orchernetes/client";
import { ConfigurationError, type FlagValues, features, parseFeatureGates } from "@orchernetes/component";
import { ConfigFileError, formatDuration, parseConfig, readConfigDocument } from "@orchernetes/config";
import { electionFaults } from "@orchernetes/leader-election";
import { type SchedulerConfiguration, schedulerConfigurationSchema } from "./config/scheduler-configuration.ts";
import { pluginFaults } from "./config/select-plugins.ts";
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

const HEAD = { apiVersion: "orchscheduler.config.o8s.io/v1", kind: "OrchSchedulerConfiguration" };

/** The file of `--config`; without one, what the deprecated flags say. @throws ConfigFileError */
async function readDocument(flags: Flags): Promise<{ document: Record<string, unknown>; source: string }> {
  if (flags.config === "") {
    const clientConnection = {
      orchconfig: flags.orchconfig,
      qps: flags["orch-api-qps"],
      burst: flags["orch-api-burst"],
      contentType: flags["orch-api-content-type"],
    };
    const enableProfiling = flags.profiling;
    const enableContentionProfiling = flags["contention-profiling"];
    return { document: { ...HEAD, clientConnection, enableProfiling, enableContentionProfiling }, source: "flags" };
  }
  const source = `--config: file "${flags.config}"`;
  const document = await readConfigDocument(flags.config);
  if (typeof document !== "object" || document === null || Array.isArray(document))
    throw new ConfigFileError([`${source}: want a mapping with apiVersion ${HEAD.apiVersion} and kind ${HEAD.kind}`]);
  return { document: document as Record<string, unknown>, source };
}

/** The leader election flags, as far as they were given: they win over the file. */
function electionOverrides(flags: Flags, explicit: ReadonlySet<string>, always: boolean): Record<string, unknown> {
  const fields = [
    ["leader-elect", "leaderElect", flags["leader-elect"]],
    ["leader-elect-lease-duration", "leaseDuration", formatDuration(flags["leader-elect-lease-duration"])],
    ["leader-elect-renew-deadline", "renewDeadline", formatDuration(flags["leader-elect-renew-deadline"])],
    ["leader-elect-retry-period", "retryPeriod", formatDuration(flags["leader-elect-retry-period"])],
    ["leader-elect-resource-lock", "resourceLock", flags["leader-elect-resource-lock"]],
    ["leader-elect-resource-name", "resourceName", flags["leader-elect-resource-name"]],
    ["leader-elect-resource-namespace", "resourceNamespace", flags["leader-elect-resource-namespace"]],
  ] as const;
  return Object.fromEntries(
    fields.filter(([flag]) => always || explicit.has(flag)).map(([, field, value]) => [field, value]),
  );
}

interface Loaded {
  readonly settings: SchedulerConfiguration;
  /**
   * Whether somebody asked for a rate limit. The default one suits a cluster of many clients; binding as fast as decisions
   * fall, which the server's own priority and fairness bounds, needs none.
   */
  readonly limited: boolean;
}

/** @throws ConfigFileError */
async function loadSettings(flags: Flags, explicit: ReadonlySet<string>): Promise<Loaded> {
  if (flags.config === "" && flags["leader-elect"]) {
    const times = electionFaults({
      leaseDurationMs: flags["leader-elect-lease-duration"],
      renewDeadlineMs: flags["leader-elect-renew-deadline"],
      retryPeriodMs: flags["leader-elect-retry-period"],
    });
    if (times.length > 0) throw new ConfigFileError(times.map((fault) => `flags of leader election: ${fault}`));
  }
  const { document, source } = await readDocument(flags);
  const own = document.leaderElection;
  const overrides = electionOverrides(flags, explicit, flags.config === "");
  const leaderElection =
    typeof own === "object" && own !== null && !Array.isArray(own) ? { ...own, ...overrides } : overrides;
  const merged = own === undefined || typeof own === "object" ? { ...document, leaderElection } : document;
  const settings = parseConfig(merged, schedulerConfigurationSchema, source);
  const faults = settings.profiles.flatMap(({ plugins }, i) =>
    pluginFaults(plugins).map((fault) => `${source}, field profiles[${i}].${fault}`),
  );
  if (faults.length > 0) throw new ConfigFileError(faults);
  const { clientConnection } = document;
  const limited =
    flags.config === ""
      ? explicit.has("orch-api-qps")
      : typeof clientConnection === "object" && clientConnection !== null && Object.hasOwn(clientConnection, "qps");
  return { settings, limited };
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
    warnings: "warnings" in gates ? gates.warnings : [],
  };
}

function clientSource(flags: Flags, { clientConnection }: SchedulerConfiguration): [string, () => ClientConfig] {
  const { orchconfig } = clientConnection;
  const { master } = flags;
  const name = flags.config === "" ? "--orchconfig" : `--config: file "${flags.config}", clientConnection.orchconfig`;
  if (orchconfig === "" && master === "") return [name, inClusterConfig];
  return [name, () => loadClientConfig(orchconfig, master === "" ? {} : { masterOverride: master })];
}
