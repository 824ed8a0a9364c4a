import { readFile } from "node:fs/promises";
import { type ClientConfig, ClientConfigError, inClusterConfig, loadClientConfig } from "@orchernetes/client";
import {
  ConfigurationError,
  type FeatureGates,
  type FlagValues,
  features,
  parseFeatureGates,
} from "@orchernetes/component";
import {
  type CloudControllerManagerConfiguration,
  ConfigFileError,
  cloudControllerManagerConfigurationSchema,
  formatDuration,
  overlay,
  parseConfig,
} from "@orchernetes/config";
import { type CloudProviderFactory, type CloudProviderTable, lookUpProvider } from "./cloud-provider.ts";
import { cloudControllerManagerFlags } from "./flags/index.ts";

/** The parsed flags of cloud-controller-manager. */
export type Flags = FlagValues<typeof cloudControllerManagerFlags>;

/** Everything the daemon needs, checked. */
export interface Config {
  readonly flags: Flags;
  readonly settings: CloudControllerManagerConfiguration;
  readonly provider: CloudProviderFactory;
  /** Contents of `--cloud-config`. */
  readonly cloudConfig: string | undefined;
  readonly client: ClientConfig;
  /** From `--authentication-orchconfig`. */
  readonly tokenReviewClient: ClientConfig | undefined;
  /** From `--authorization-orchconfig`. */
  readonly accessReviewClient: ClientConfig | undefined;
  readonly gates: FeatureGates;
  readonly warnings: readonly string[];
}

/** The field of CloudControllerManagerConfiguration each flag sets. */
const fields: readonly (readonly [flag: keyof Flags & string, field: string])[] = [
  ["min-resync-period", "Generic.MinResyncPeriod"],
  ["orchconfig", "Generic.ClientConnection.orchconfig"],
  ["orch-api-content-type", "Generic.ClientConnection.contentType"],
  ["orch-api-qps", "Generic.ClientConnection.qps"],
  ["orch-api-burst", "Generic.ClientConnection.burst"],
  ["controller-start-interval", "Generic.ControllerStartInterval"],
  ["controllers", "Generic.Controllers"],
  ["leader-elect", "Generic.LeaderElection.leaderElect"],
  ["leader-elect-lease-duration", "Generic.LeaderElection.leaseDuration"],
  ["leader-elect-renew-deadline", "Generic.LeaderElection.renewDeadline"],
  ["leader-elect-retry-period", "Generic.LeaderElection.retryPeriod"],
  ["leader-elect-resource-lock", "Generic.LeaderElection.resourceLock"],
  ["leader-elect-resource-name", "Generic.LeaderElection.resourceName"],
  ["leader-elect-resource-namespace", "Generic.LeaderElection.resourceNamespace"],
  ["profiling", "Generic.Debugging.enableProfiling"],
  ["contention-profiling", "Generic.Debugging.enableContentionProfiling"],
  ["enable-leader-migration", "Generic.LeaderMigrationEnabled"],
  ["cloud-provider", "OrchCloudShared.CloudProvider.Name"],
  ["cloud-config", "OrchCloudShared.CloudProvider.CloudConfigFile"],
  ["external-cloud-volume-plugin", "OrchCloudShared.ExternalCloudVolumePlugin"],
  ["use-service-account-credentials", "OrchCloudShared.UseServiceAccountCredentials"],
  ["allow-untagged-cloud", "OrchCloudShared.AllowUntaggedCloud"],
  ["route-reconciliation-period", "OrchCloudShared.RouteReconciliationPeriod"],
  ["node-monitor-period", "OrchCloudShared.NodeMonitorPeriod"],
  ["cluster-name", "OrchCloudShared.ClusterName"],
  ["cluster-cidr", "OrchCloudShared.ClusterCIDR"],
  ["allocate-node-cidrs", "OrchCloudShared.AllocateNodeCIDRs"],
  ["cidr-allocator-type", "OrchCloudShared.CIDRAllocatorType"],
  ["configure-cloud-routes", "OrchCloudShared.ConfigureCloudRoutes"],
  ["node-sync-period", "OrchCloudShared.NodeSyncPeriod"],
  ["concurrent-node-syncs", "NodeController.ConcurrentNodeSyncs"],
  ["concurrent-service-syncs", "ServiceController.ConcurrentServiceSyncs"],
  ["node-status-update-frequency", "NodeStatusUpdateFrequency"],
  ["webhooks", "Webhook.Webhooks"],
];

/**
 * Flags → settings, provider and client, all faults at once.
 * @throws ConfigurationError
 */
export async function completeConfig(flags: Flags, providers: CloudProviderTable): Promise<Config> {
  const faults: string[] = [];
  const collect = <T>(prefix: string, run: () => T): T | undefined => {
    try {
      return run();
    } catch (error) {
      if (!(error instanceof ConfigFileError) && !(error instanceof ClientConfigError)) throw error;
      faults.push(...error.faults.map((fault) => `${prefix}${fault}`));
      return undefined;
    }
  };
  const looked = lookUpProvider(providers, flags["cloud-provider"]);
  if ("fault" in looked) faults.push(looked.fault);
  const settings = collect("", () => settingsOf(flags));
  const client = collect("--orchconfig: ", () => clientOf(flags));
  const reviewClient = (flag: "authentication-orchconfig" | "authorization-orchconfig") =>
    flags[flag] === "" ? undefined : collect(`--${flag}: `, () => loadClientConfig(flags[flag]));
  const tokenReviewClient = reviewClient("authentication-orchconfig");
  const accessReviewClient = reviewClient("authorization-orchconfig");
  const gates = parseFeatureGates(features, flags["feature-gates"]);
  if ("faults" in gates) faults.push(...gates.faults.map((fault) => `flag --feature-gates: ${fault}`));
  const cloudConfig = await readCloudConfig(flags["cloud-config"], faults);
  if (faults.length > 0 || "fault" in looked || settings === undefined || client === undefined || "faults" in gates) {
    throw new ConfigurationError(faults);
  }
  return {
    flags,
    settings,
    provider: looked.factory,
    cloudConfig,
    client,
    tokenReviewClient,
    accessReviewClient,
    gates: gates.gates,
    warnings: gates.warnings,
  };
}

function settingsOf(flags: Flags): CloudControllerManagerConfiguration {
  const values = new Map(
    fields.map(([flag, field]) => {
      const value = flags[flag];
      const isDuration = cloudControllerManagerFlags[flag].type === "duration";
      return [field, isDuration && typeof value === "number" ? formatDuration(value) : value] as const;
    }),
  );
  const head = {
    apiVersion: "cloudcontrollermanager.config.o8s.io/v1alpha1",
    kind: "CloudControllerManagerConfiguration",
  };
  return parseConfig(overlay(head, values), cloudControllerManagerConfigurationSchema, "flags");
}

function clientOf(flags: Flags): ClientConfig {
  const { orchconfig, master } = flags;
  if (orchconfig === "" && master === "") return inClusterConfig();
  return loadClientConfig(orchconfig, { masterOverride: master });
}

async function readCloudConfig(path: string, faults: string[]): Promise<string | undefined> {
  if (path === "") return undefined;
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    faults.push(`invalid value "${path}" for flag --cloud-config: ${why}; want a readable file`);
    return undefined;
  }
}
