import { type ClientConfig, inClusterConfig, loadClientConfig } from "@orchernetes/client";
import {
  ConfigurationError,
  type FeatureGates,
  type FeatureName,
  type FlagValues,
  features,
  flagFile,
  idleGateWarnings,
  NamedFiles,
  parseFeatureGates,
  readServingFiles,
} from "@orchernetes/component";
import { type ElectionSettings, electionFlagFaults, type LockType } from "@orchernetes/leader-election";
import { absentControllers, controllers } from "./controllers/index.ts";
import { type VolumeSettings, volumeSettings } from "./controllers/persistentvolume-binder/settings.ts";
import type { orchControllerManagerFlags } from "./flags/index.ts";
import { selectControllers } from "./select-controllers.ts";
import type { ControllerDescriptor } from "./shared/define-controller.ts";
import { switchedGates } from "./switched-gates.ts";

/** The parsed flags of orch-controller-manager. */
export type Flags = FlagValues<typeof orchControllerManagerFlags>;

/** Settings of the controllers, from flags. Times are in milliseconds. */
export interface ControllerManagerConfig {
  readonly concurrentReplicaSetSyncs: number;
  readonly concurrentDeploymentSyncs: number;
  readonly concurrentRcSyncs: number;
  readonly concurrentEndpointSyncs: number;
  readonly endpointUpdatesBatchMs: number;
  readonly concurrentServiceEndpointSyncs: number;
  readonly endpointSliceUpdatesBatchMs: number;
  readonly maxEndpointsPerSlice: number;
  readonly concurrentNamespaceSyncs: number;
  readonly namespaceSyncPeriodMs: number;
  /** PEM bundle for `orch-root-ca.crt`; undefined: not published. */
  readonly rootCa: string | undefined;
  readonly enableGarbageCollector: boolean;
  readonly concurrentGcSyncs: number;
  readonly terminatedPodGcThreshold: number;
  readonly nodeMonitorPeriodMs: number;
  readonly nodeMonitorGracePeriodMs: number;
  readonly nodeStartupGracePeriodMs: number;
  readonly nodeEvictionRate: number;
  readonly secondaryNodeEvictionRate: number;
  readonly largeClusterSizeThreshold: number;
  readonly unhealthyZoneThreshold: number;
  readonly concurrentResourceQuotaSyncs: number;
  readonly resourceQuotaSyncPeriodMs: number;
  readonly concurrentStatefulSetSyncs: number;
  readonly concurrentTtlAfterFinishedSyncs: number;
  readonly hpa: HorizontalPodAutoscalingConfig;
  readonly volumes: VolumeSettings;
}

/** How the controller of HorizontalPodAutoscalers works. */
export interface HorizontalPodAutoscalingConfig {
  readonly concurrentSyncs: number;
  readonly syncPeriodMs: number;
  /** How far back recommendations hold up a scale-down where an autoscaler's behavior says nothing. */
  readonly downscaleStabilizationMs: number;
  /** How far the ratio of use may be from 1 without anything being done. */
  readonly tolerance: number;
  readonly cpuInitializationPeriodMs: number;
  readonly initialReadinessDelayMs: number;
  /** Whether metrics of single containers count: gate HPAContainerMetrics. */
  readonly containerMetrics: boolean;
}

/** Everything the daemon needs, checked. */
export interface Config {
  readonly flags: Flags;
  readonly client: ClientConfig;
  readonly tokenReviewClient: ClientConfig | undefined;
  readonly accessReviewClient: ClientConfig | undefined;
  /** Undefined when the flags turn it off. */
  readonly election: ElectionSettings | undefined;
  /** The controllers to run, in the order in which they start. */
  readonly enabled: readonly ControllerDescriptor[];
  readonly controllers: ControllerManagerConfig;
  readonly warnings: readonly string[];
}

/**
 * Flags → configuration, all faults at once.
 * @throws ConfigurationError
 */
export async function completeConfig(flags: Flags): Promise<Config> {
  const files = new NamedFiles();
  const { faults } = files;
  const { orchconfig, master } = flags;
  const client = await files.client(flagFile(flags, "orchconfig"), () =>
    orchconfig === "" && master === ""
      ? inClusterConfig()
      : loadClientConfig(orchconfig, master === "" ? {} : { masterOverride: master }),
  );
  const optional = async (flag: "authentication-orchconfig" | "authorization-orchconfig") =>
    flags[flag] === "" ? undefined : files.client(flagFile(flags, flag), () => loadClientConfig(flags[flag]));
  const tokenReviewClient = await optional("authentication-orchconfig");
  const accessReviewClient = await optional("authorization-orchconfig");
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
  if (flags["leader-elect"]) faults.push(...electionFlagFaults(flags));
  const selection = selectControllers(flags.controllers, controllers, absentControllers);
  faults.push(...selection.faults);
  await readServingFiles(files, flags, "orch-controller-manager");
  const rootCa = await files.bundle(flagFile(flags, "root-ca-file"));
  const volumes = volumeSettings(flags, faults);
  await readIdleFiles(flags, files);
  if (faults.length > 0 || client === undefined || "faults" in gates) throw new ConfigurationError(faults);
  return {
    flags,
    client,
    tokenReviewClient,
    accessReviewClient,
    election: flags["leader-elect"] ? election : undefined,
    enabled: selection.enabled,
    controllers: settingsOf(flags, gates.gates, rootCa?.pem ?? ownRootCa(client), volumes),
    warnings: [
      ...gates.warnings,
      ...idleGateWarnings({
        daemon: "orch-controller-manager",
        features,
        named: flags["feature-gates"],
        switched: switchedGates,
      }),
      ...selection.warnings,
    ],
  };
}

/** The signers of the certificates API that flags name certificate and key of. */
const signers = ["", "-orchlet-serving", "-orchlet-client", "-orch-apiserver-client", "-legacy-unknown"] as const;

/** Files of what does not exist yet: a missing one is a fault all the same. */
async function readIdleFiles(flags: Flags, files: NamedFiles): Promise<void> {
  await files.privateKey(flagFile(flags, "service-account-private-key-file"));
  for (const signer of signers) {
    const cert = flagFile(flags, `cluster-signing${signer}-cert-file`);
    await files.pair(cert, flagFile(flags, `cluster-signing${signer}-key-file`));
  }
  await files.document(flagFile(flags, "leader-migration-config"));
  await files.text(flagFile(flags, "cloud-config"), (text) => text);
}

/** The bundle that this process itself verifies the server with. */
function ownRootCa(client: ClientConfig): string | undefined {
  const tls = typeof client.tls === "function" ? client.tls() : client.tls;
  return tls?.ca?.toString();
}

function settingsOf(
  flags: Flags,
  gates: FeatureGates<FeatureName>,
  rootCa: string | undefined,
  volumes: Omit<VolumeSettings, "retroactiveDefaultClass">,
): ControllerManagerConfig {
  return {
    concurrentReplicaSetSyncs: flags["concurrent-replicaset-syncs"],
    concurrentDeploymentSyncs: flags["concurrent-deployment-syncs"],
    concurrentRcSyncs: flags["concurrent-rc-syncs"],
    concurrentEndpointSyncs: flags["concurrent-endpoint-syncs"],
    endpointUpdatesBatchMs: flags["endpoint-updates-batch-period"],
    concurrentServiceEndpointSyncs: flags["concurrent-service-endpoint-syncs"],
    endpointSliceUpdatesBatchMs: flags["endpointslice-updates-batch-period"],
    maxEndpointsPerSlice: flags["max-endpoints-per-slice"],
    concurrentNamespaceSyncs: flags["concurrent-namespace-syncs"],
    namespaceSyncPeriodMs: flags["namespace-sync-period"],
    rootCa,
    enableGarbageCollector: flags["enable-garbage-collector"],
    concurrentGcSyncs: flags["concurrent-gc-syncs"],
    terminatedPodGcThreshold: flags["terminated-pod-gc-threshold"],
    nodeMonitorPeriodMs: flags["node-monitor-period"],
    nodeMonitorGracePeriodMs: flags["node-monitor-grace-period"],
    nodeStartupGracePeriodMs: flags["node-startup-grace-period"],
    nodeEvictionRate: flags["node-eviction-rate"],
    secondaryNodeEvictionRate: flags["secondary-node-eviction-rate"],
    largeClusterSizeThreshold: flags["large-cluster-size-threshold"],
    unhealthyZoneThreshold: flags["unhealthy-zone-threshold"],
    concurrentResourceQuotaSyncs: flags["concurrent-resource-quota-syncs"],
    resourceQuotaSyncPeriodMs: flags["resource-quota-sync-period"],
    concurrentStatefulSetSyncs: flags["concurrent-statefulset-syncs"],
    concurrentTtlAfterFinishedSyncs: flags["concurrent-ttl-after-finished-syncs"],
    hpa: {
      concurrentSyncs: flags["concurrent-horizontal-pod-autoscaler-syncs"],
      syncPeriodMs: flags["horizontal-pod-autoscaler-sync-period"],
      downscaleStabilizationMs: flags["horizontal-pod-autoscaler-downscale-stabilization"],
      tolerance: flags["horizontal-pod-autoscaler-tolerance"],
      cpuInitializationPeriodMs: flags["horizontal-pod-autoscaler-cpu-initialization-period"],
      initialReadinessDelayMs: flags["horizontal-pod-autoscaler-initial-readiness-delay"],
      containerMetrics: gates.enabled("HPAContainerMetrics"),
    },
    volumes: { ...volumes, retroactiveDefaultClass: gates.enabled("RetroactiveDefaultStorageClass") },
  };
}
