/**
 * The default settings of orch-controller-manager, without the schema.
 *
 * @example
 * ```ts
 * import { orchControllerManagerDefaults } from "@orchernetes/config/orch-controller-manager-defaults";
 *
 * orchControllerManagerDefaults.Generic.LeaderElection.leaseDuration; // 15000
 * ```
 *
 * @module
 */

import type { OrchControllerManagerConfiguration } from "./orch-controller-manager-configuration.ts";

/**
 * The default settings of orch-controller-manager: what its schema returns for an empty document, which a test
 * checks. A daemon that is configured by flags alone uses them instead of the schema, because loading zod and the
 * schema takes 25 MB and half a second. Durations are in milliseconds.
 */
export const orchControllerManagerDefaults: OrchControllerManagerConfiguration = {
  apiVersion: "orchcontrollermanager.config.o8s.io/v1alpha1",
  kind: "OrchControllerManagerConfiguration",
  Generic: {
    Port: 0,
    Address: "0.0.0.0",
    MinResyncPeriod: 43200000,
    ClientConnection: {
      orchconfig: "",
      acceptContentTypes: "",
      contentType: "application/vnd.orchernetes.protobuf",
      qps: 20,
      burst: 30,
    },
    ControllerStartInterval: 0,
    LeaderElection: {
      leaderElect: true,
      leaseDuration: 15000,
      renewDeadline: 10000,
      retryPeriod: 2000,
      resourceLock: "leases",
      resourceName: "orch-controller-manager",
      resourceNamespace: "orch-system",
    },
    Controllers: ["*"],
    Debugging: {
      enableProfiling: true,
      enableContentionProfiling: false,
    },
    LeaderMigrationEnabled: false,
    LeaderMigration: {
      leaderName: "",
      resourceLock: "",
      controllerLeaders: [],
    },
  },
  OrchCloudShared: {
    CloudProvider: {
      Name: "",
      CloudConfigFile: "",
    },
    ExternalCloudVolumePlugin: "",
    UseServiceAccountCredentials: false,
    AllowUntaggedCloud: false,
    RouteReconciliationPeriod: 10000,
    NodeMonitorPeriod: 5000,
    ClusterName: "orchernetes",
    ClusterCIDR: "",
    AllocateNodeCIDRs: false,
    CIDRAllocatorType: "RangeAllocator",
    ConfigureCloudRoutes: true,
    NodeSyncPeriod: 0,
  },
  AttachDetachController: {
    DisableAttachDetachReconcilerSync: false,
    ReconcilerSyncLoopPeriod: 60000,
  },
  CSRSigningController: {
    ClusterSigningCertFile: "",
    ClusterSigningKeyFile: "",
    OrchletServingSignerConfiguration: {
      CertFile: "",
      KeyFile: "",
    },
    OrchletClientSignerConfiguration: {
      CertFile: "",
      KeyFile: "",
    },
    OrchAPIServerClientSignerConfiguration: {
      CertFile: "",
      KeyFile: "",
    },
    LegacyUnknownSignerConfiguration: {
      CertFile: "",
      KeyFile: "",
    },
    ClusterSigningDuration: 31536000000,
  },
  CronJobController: {
    ConcurrentCronJobSyncs: 5,
  },
  DaemonSetController: {
    ConcurrentDaemonSetSyncs: 2,
  },
  DeploymentController: {
    ConcurrentDeploymentSyncs: 5,
  },
  StatefulSetController: {
    ConcurrentStatefulSetSyncs: 5,
  },
  JobController: {
    ConcurrentJobSyncs: 5,
  },
  ReplicaSetController: {
    ConcurrentRSSyncs: 5,
  },
  ReplicationController: {
    ConcurrentRCSyncs: 5,
  },
  ServiceController: {
    ConcurrentServiceSyncs: 1,
  },
  EphemeralVolumeController: {
    ConcurrentEphemeralVolumeSyncs: 5,
  },
  TTLAfterFinishedController: {
    ConcurrentTTLSyncs: 5,
  },
  DeprecatedController: {},
  EndpointController: {
    ConcurrentEndpointSyncs: 5,
    EndpointUpdatesBatchPeriod: 0,
  },
  EndpointSliceController: {
    ConcurrentServiceEndpointSyncs: 5,
    MaxEndpointsPerSlice: 100,
    EndpointUpdatesBatchPeriod: 0,
  },
  EndpointSliceMirroringController: {
    MirroringConcurrentServiceEndpointSyncs: 5,
    MirroringMaxEndpointsPerSubset: 1000,
    MirroringEndpointUpdatesBatchPeriod: 0,
  },
  GarbageCollectorController: {
    EnableGarbageCollector: true,
    ConcurrentGCSyncs: 20,
    GCIgnoredResources: [],
  },
  HPAController: {
    ConcurrentHorizontalPodAutoscalerSyncs: 5,
    HorizontalPodAutoscalerSyncPeriod: 15000,
    HorizontalPodAutoscalerUpscaleForbiddenWindow: 180000,
    HorizontalPodAutoscalerDownscaleStabilizationWindow: 300000,
    HorizontalPodAutoscalerDownscaleForbiddenWindow: 300000,
    HorizontalPodAutoscalerTolerance: 0.1,
    HorizontalPodAutoscalerCPUInitializationPeriod: 300000,
    HorizontalPodAutoscalerInitialReadinessDelay: 30000,
  },
  NamespaceController: {
    NamespaceSyncPeriod: 300000,
    ConcurrentNamespaceSyncs: 10,
  },
  NodeIPAMController: {
    ServiceCIDR: "",
    SecondaryServiceCIDR: "",
    NodeCIDRMaskSize: 0,
    NodeCIDRMaskSizeIPv4: 0,
    NodeCIDRMaskSizeIPv6: 0,
  },
  NodeLifecycleController: {
    NodeEvictionRate: 0.1,
    SecondaryNodeEvictionRate: 0.01,
    NodeStartupGracePeriod: 60000,
    NodeMonitorGracePeriod: 40000,
    PodEvictionTimeout: 300000,
    LargeClusterSizeThreshold: 50,
    UnhealthyZoneThreshold: 0.55,
  },
  PersistentVolumeBinderController: {
    PVClaimBinderSyncPeriod: 15000,
    VolumeConfiguration: {
      EnableHostPathProvisioning: false,
      EnableDynamicProvisioning: true,
      PersistentVolumeRecyclerConfiguration: {
        MaximumRetry: 3,
        MinimumTimeoutNFS: 300,
        PodTemplateFilePathNFS: "",
        IncrementTimeoutNFS: 30,
        PodTemplateFilePathHostPath: "",
        MinimumTimeoutHostPath: 60,
        IncrementTimeoutHostPath: 30,
      },
      FlexVolumePluginDir: "/usr/libexec/orchernetes/orchlet-plugins/volume/exec/",
    },
    VolumeHostCIDRDenylist: [],
    VolumeHostAllowLocalLoopback: true,
  },
  PodGCController: {
    TerminatedPodGCThreshold: 12500,
  },
  ResourceQuotaController: {
    ResourceQuotaSyncPeriod: 300000,
    ConcurrentResourceQuotaSyncs: 5,
  },
  SAController: {
    ServiceAccountKeyFile: "",
    ConcurrentSATokenSyncs: 5,
    RootCAFile: "",
  },
};
