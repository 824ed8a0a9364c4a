import { z } from "zod";
import { duration, int32 } from "../values.ts";
import { concurrency } from "./shared.ts";

/** Certificate and key of a signer; both empty means the pair of `ClusterSigning*`. */
const keyPair = z.strictObject({ CertFile: z.string().default(""), KeyFile: z.string().default("") }).prefault({});

/** Timeouts and increments are in seconds, `MaximumRetry` is the number of attempts to scrub a volume. */
const recycler = z.strictObject({
  MaximumRetry: int32(0).default(3),
  MinimumTimeoutNFS: int32(0).default(300),
  PodTemplateFilePathNFS: z.string().default(""),
  IncrementTimeoutNFS: int32(0).default(30),
  PodTemplateFilePathHostPath: z.string().default(""),
  MinimumTimeoutHostPath: int32(0).default(60),
  IncrementTimeoutHostPath: int32(0).default(30),
});

const volumes = z.strictObject({
  EnableHostPathProvisioning: z.boolean().default(false),
  EnableDynamicProvisioning: z.boolean().default(true),
  PersistentVolumeRecyclerConfiguration: recycler.prefault({}),
  FlexVolumePluginDir: z.string().default("/usr/libexec/orchernetes/orchlet-plugins/volume/exec/"),
});

/**
 * The sections of orch-controller-manager's configuration, one for each controller. Fields are in upper camel case:
 * the type has no JSON names in Kubernetes either. Durations are milliseconds in the result.
 */
export const controllerSections = {
  AttachDetachController: z
    .strictObject({
      DisableAttachDetachReconcilerSync: z.boolean().default(false),
      // Kubernetes requires more than one second here.
      ReconcilerSyncLoopPeriod: duration({ minMs: 1001 }).prefault("1m0s"),
    })
    .prefault({}),
  CSRSigningController: z
    .strictObject({
      ClusterSigningCertFile: z.string().default(""),
      ClusterSigningKeyFile: z.string().default(""),
      OrchletServingSignerConfiguration: keyPair,
      OrchletClientSignerConfiguration: keyPair,
      OrchAPIServerClientSignerConfiguration: keyPair,
      LegacyUnknownSignerConfiguration: keyPair,
      ClusterSigningDuration: duration({ minMs: 1 }).prefault("8760h0m0s"),
    })
    .prefault({}),
  CronJobController: concurrency("ConcurrentCronJobSyncs", 5),
  DaemonSetController: concurrency("ConcurrentDaemonSetSyncs", 2),
  DeploymentController: concurrency("ConcurrentDeploymentSyncs", 5),
  StatefulSetController: concurrency("ConcurrentStatefulSetSyncs", 5),
  JobController: concurrency("ConcurrentJobSyncs", 5),
  ReplicaSetController: concurrency("ConcurrentRSSyncs", 5),
  ReplicationController: concurrency("ConcurrentRCSyncs", 5),
  ServiceController: concurrency("ConcurrentServiceSyncs", 1),
  EphemeralVolumeController: concurrency("ConcurrentEphemeralVolumeSyncs", 5),
  TTLAfterFinishedController: concurrency("ConcurrentTTLSyncs", 5),
  DeprecatedController: z.strictObject({}).prefault({}),
  EndpointController: z
    .strictObject({
      ConcurrentEndpointSyncs: int32(1).default(5),
      EndpointUpdatesBatchPeriod: duration({ minMs: 0 }).prefault("0s"),
    })
    .prefault({}),
  EndpointSliceController: z
    .strictObject({
      ConcurrentServiceEndpointSyncs: int32(1, 50).default(5),
      // At most 1000 endpoints a slice, which is also the limit of the API (KEP-752).
      MaxEndpointsPerSlice: int32(1, 1000).default(100),
      EndpointUpdatesBatchPeriod: duration({ minMs: 0 }).prefault("0s"),
    })
    .prefault({}),
  EndpointSliceMirroringController: z
    .strictObject({
      MirroringConcurrentServiceEndpointSyncs: int32(1, 50).default(5),
      MirroringMaxEndpointsPerSubset: int32(1, 1000).default(1000),
      MirroringEndpointUpdatesBatchPeriod: duration({ minMs: 0 }).prefault("0s"),
    })
    .prefault({}),
  GarbageCollectorController: z
    .strictObject({
      EnableGarbageCollector: z.boolean().default(true),
      ConcurrentGCSyncs: int32(1).default(20),
      GCIgnoredResources: z.array(z.strictObject({ Group: z.string(), Resource: z.string().min(1) })).default([]),
    })
    .prefault({}),
  HPAController: z
    .strictObject({
      ConcurrentHorizontalPodAutoscalerSyncs: int32(1).default(5),
      HorizontalPodAutoscalerSyncPeriod: duration({ minMs: 1 }).prefault("15s"),
      HorizontalPodAutoscalerUpscaleForbiddenWindow: duration({ minMs: 0 }).prefault("3m0s"),
      HorizontalPodAutoscalerDownscaleStabilizationWindow: duration({ minMs: 0 }).prefault("5m0s"),
      HorizontalPodAutoscalerDownscaleForbiddenWindow: duration({ minMs: 0 }).prefault("5m0s"),
      // Relative difference of usage and target below which nothing is scaled, so that noise does not cause flapping.
      HorizontalPodAutoscalerTolerance: z.number().min(0).default(0.1),
      HorizontalPodAutoscalerCPUInitializationPeriod: duration({ minMs: 0 }).prefault("5m0s"),
      HorizontalPodAutoscalerInitialReadinessDelay: duration({ minMs: 0 }).prefault("30s"),
    })
    .prefault({}),
  NamespaceController: z
    .strictObject({
      NamespaceSyncPeriod: duration({ minMs: 1 }).prefault("5m0s"),
      ConcurrentNamespaceSyncs: int32(1).default(10),
    })
    .prefault({}),
  NodeIPAMController: z
    .strictObject({
      ServiceCIDR: z.string().default(""),
      SecondaryServiceCIDR: z.string().default(""),
      // 0 is the default of the address family: 24 for IPv4, 64 for IPv6.
      NodeCIDRMaskSize: int32(0, 128).default(0),
      NodeCIDRMaskSizeIPv4: int32(0, 32).default(0),
      NodeCIDRMaskSizeIPv6: int32(0, 128).default(0),
    })
    .prefault({}),
  NodeLifecycleController: z
    .strictObject({
      // Nodes per second from which pods are evicted in a healthy zone, and in an unhealthy one (the second rate).
      NodeEvictionRate: z.number().min(0).default(0.1),
      SecondaryNodeEvictionRate: z.number().min(0).default(0.01),
      NodeStartupGracePeriod: duration({ minMs: 0 }).prefault("1m0s"),
      NodeMonitorGracePeriod: duration({ minMs: 1 }).prefault("40s"),
      PodEvictionTimeout: duration({ minMs: 0 }).prefault("5m0s"),
      LargeClusterSizeThreshold: int32(0).default(50),
      // Fraction of nodes of a zone that must be not ready for the zone to be unhealthy.
      UnhealthyZoneThreshold: z.number().min(0).default(0.55),
    })
    .prefault({}),
  PersistentVolumeBinderController: z
    .strictObject({
      PVClaimBinderSyncPeriod: duration({ minMs: 1 }).prefault("15s"),
      VolumeConfiguration: volumes.prefault({}),
      VolumeHostCIDRDenylist: z.array(z.string()).default([]),
      VolumeHostAllowLocalLoopback: z.boolean().default(true),
    })
    .prefault({}),
  PodGCController: z.strictObject({ TerminatedPodGCThreshold: int32().default(12500) }).prefault({}),
  ResourceQuotaController: z
    .strictObject({
      ResourceQuotaSyncPeriod: duration({ minMs: 1 }).prefault("5m0s"),
      ConcurrentResourceQuotaSyncs: int32(1).default(5),
    })
    .prefault({}),
  SAController: z
    .strictObject({
      ServiceAccountKeyFile: z.string().default(""),
      ConcurrentSATokenSyncs: int32(1).default(5),
      RootCAFile: z.string().default(""),
    })
    .prefault({}),
};
