import { type ClientConfig, inClusterConfig, loadClientConfig } from "@orchernetes/client";
import {
  ConfigurationError,
  type FeatureGates,
  type FlagValues,
  faultsByFlag,
  features,
  flagFile,
  idleGateWarnings,
  NamedFiles,
  parseFeatureGates,
  readServingFiles,
} from "@orchernetes/component";
import {
  type CloudControllerManagerConfiguration,
  ConfigFileError,
  cloudControllerManagerConfigurationSchema,
  formatDuration,
  overlay,
  parseConfig,
} from "@orchernetes/config";
import { electionFlagFaults } from "@orchernetes/leader-election";
import { type CloudProviderFactory, type CloudProviderTable, lookUpProvider } from "./cloud-provider.ts";
import { cloudControllerManagerFlags } from "./flags/index.ts";
import { switchedGates } from "./switched-gates.ts";

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
  const files = new NamedFiles();
  const { faults } = files;
  const looked = lookUpProvider(providers, flags["cloud-provider"]);
  if ("fault" in looked) faults.push(looked.fault);
  const settings = settingsOf(flags, faults);
  const client = await files.client(flagFile(flags, "orchconfig"), () => clientOf(flags));
  const reviewClient = async (flag: "authentication-orchconfig" | "authorization-orchconfig") =>
    flags[flag] === "" ? undefined : files.client(flagFile(flags, flag), () => loadClientConfig(flags[flag]));
  const tokenReviewClient = await reviewClient("authentication-orchconfig");
  const accessReviewClient = await reviewClient("authorization-orchconfig");
  const gates = parseFeatureGates(features, flags["feature-gates"]);
  if ("faults" in gates) faults.push(...gates.faults.map((fault) => `flag --feature-gates: ${fault}`));
  const cloudConfig = await files.text(flagFile(flags, "cloud-config"), (text) => text);
  await readServingFiles(files, flags, "cloud-controller-manager");
  // Nothing acts on these yet; a missing file is a fault all the same.
  await files.document(flagFile(flags, "leader-migration-config"));
  await files.pair(flagFile(flags, "webhook-tls-cert-file"), flagFile(flags, "webhook-tls-private-key-file"));
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
    warnings: [
      ...gates.warnings,
      ...idleGateWarnings({
        daemon: "cloud-controller-manager",
        features,
        named: flags["feature-gates"],
        switched: switchedGates,
      }),
    ],
  };
}

/** The settings that flags make; undefined after a fault. */
function settingsOf(flags: Flags, faults: string[]): CloudControllerManagerConfiguration | undefined {
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
  const times = flags["leader-elect"] ? electionFlagFaults(flags) : [];
  faults.push(...times);
  try {
    return parseConfig(overlay(head, values), cloudControllerManagerConfigurationSchema, "flags");
  } catch (error) {
    if (!(error instanceof ConfigFileError)) throw error;
    const flagOf = new Map(fields.map(([flag, field]) => [field, flag]));
    const told = times.length > 0 ? /^--leader-elect-(lease-duration|renew-deadline|retry-period):/ : /$^/;
    faults.push(...faultsByFlag(error.faults, "flags", flagOf).filter((fault) => !told.test(fault)));
    return undefined;
  }
}

function clientOf(flags: Flags): ClientConfig {
  const { orchconfig, master } = flags;
  if (orchconfig === "" && master === "") return inClusterConfig();
  return loadClientConfig(orchconfig, { masterOverride: master });
}
