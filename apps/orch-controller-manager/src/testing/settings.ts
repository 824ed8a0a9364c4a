import { orchControllerManagerConfigurationSchema, parseConfig } from "@orchernetes/config";
import { defaultRecycler, type VolumeSettings } from "../controllers/persistentvolume-binder/settings.ts";

/** The configuration without any settings. */
export const document = parseConfig(
  { apiVersion: "orchcontrollermanager.config.o8s.io/v1alpha1", kind: "OrchControllerManagerConfiguration" },
  orchControllerManagerConfigurationSchema,
  "test",
);

/** Settings of the persistent volume binder. */
export const volumes: VolumeSettings = {
  syncPeriodMs: 15_000,
  dynamicProvisioning: true,
  hostPathProvisioning: false,
  retroactiveDefaultClass: true,
  honorsReclaimPolicy: false,
  nfsRecycler: { minimumTimeoutSeconds: 300, incrementTimeoutSeconds: 30, template: defaultRecycler },
  hostPathRecycler: { minimumTimeoutSeconds: 60, incrementTimeoutSeconds: 30, template: defaultRecycler },
};

/** Settings of controllers that suit tests, by name: small numbers of workers, nothing batched. */
export const settings: Readonly<Record<string, object>> = {
  "root-ca-cert-publisher": { bundle: "PEM" },
  "serviceaccount-token": { workers: 1 },
  "storage-version-gc": { isEnabled: false },
  csrsigning: { signers: [] },
  service: { workers: 1, clusterName: "c", stableNodes: true },
  route: { disabled: undefined, clusterCidrs: [], periodMs: 10_000, clusterName: "c" },
  "cloud-node-lifecycle": { monitorPeriodMs: 5000, clusterName: "c" },
  namespace: { workers: 1, syncPeriodMs: 300_000 },
  endpoint: { workers: 1, batchMs: 0 },
  endpointslice: { workers: 1, batchMs: 0, maxEndpointsPerSlice: 100 },
  replicationcontroller: { workers: 1 },
  replicaset: { workers: 2 },
  deployment: { workers: 2 },
  daemonset: { workers: 2 },
  statefulset: { workers: 1 },
  job: { workers: 5 },
  cronjob: { workers: 5 },
  "ttl-after-finished": { workers: 1 },
  podgc: { terminatedThreshold: 100 },
  garbagecollector: { isEnabled: true, workers: 4, ignored: [] },
  resourcequota: { workers: 1, syncPeriodMs: 300_000 },
  attachdetach: { syncPeriodMs: 60_000, honorsOutOfService: true },
  nodelifecycle: {
    monitorPeriodMs: 5000,
    gracePeriodMs: 40_000,
    startupGracePeriodMs: 60_000,
    evictionRate: 0.1,
    secondaryEvictionRate: 0.01,
    largeClusterSize: 50,
    unhealthyThreshold: 0.55,
  },
  horizontalpodautoscaling: {
    workers: 1,
    syncPeriodMs: 100,
    downscaleStabilizationMs: 0,
    tolerance: 0.1,
    cpuInitializationPeriodMs: 300_000,
    initialReadinessDelayMs: 30_000,
    containerMetrics: true,
  },
  endpointslicemirroring: { workers: 1, batchMs: 0, maxEndpointsPerSubset: 1000 },
  nodeipam: { isEnabled: false, fromObjects: false, clusterRanges: [], serviceRanges: [] },
  "resource-claim-controller": { isEnabled: false },
  "ephemeral-volume": { workers: 1 },
  "persistentvolume-binder": volumes,
};
