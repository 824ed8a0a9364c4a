import { z } from "zod";
import { contentType, duration, int32, int64, ipAddress, port, stringMap } from "../values.ts";
import {
  loggingConfiguration,
  memoryReservation,
  memorySwapConfiguration,
  orchletAuthentication,
  orchletAuthorization,
  registrationTaint,
  shutdownGracePeriodByPodPriority,
  tracingConfiguration,
} from "./nested.ts";

/** The fields of the orchlet's server. */
export const servingFields = {
  enableServer: z.boolean().default(true),
  address: ipAddress().default("0.0.0.0"),
  port: port(1).default(10250),
  // 0 disables the read-only port, which serves without authentication.
  readOnlyPort: port(0).default(0),
  tlsCertFile: z.string().default(""),
  tlsPrivateKeyFile: z.string().default(""),
  tlsCipherSuites: z.array(z.string()).default([]),
  tlsMinVersion: z.enum(["", "VersionTLS10", "VersionTLS11", "VersionTLS12", "VersionTLS13"]).default(""),
  rotateCertificates: z.boolean().default(false),
  serverTLSBootstrap: z.boolean().default(false),
  authentication: orchletAuthentication.prefault({}),
  authorization: orchletAuthorization.prefault({}),
  enableDebuggingHandlers: z.boolean().default(true),
  enableContentionProfiling: z.boolean().default(false),
  healthzPort: port(0).default(10248),
  healthzBindAddress: ipAddress().default("127.0.0.1"),
  // For exec, attach and port-forward; 0 means that idle connections are kept forever.
  streamingConnectionIdleTimeout: duration({ minMs: 0 }).prefault("4h0m0s"),
  enableSystemLogHandler: z.boolean().default(true),
  enableSystemLogQuery: z.boolean().default(false),
  enableProfilingHandler: z.boolean().default(true),
  enableDebugFlagsHandler: z.boolean().default(true),
};

/** The fields of the sources of pods (API server, files, URL), and of the connection to the API server. */
export const sourceFields = {
  staticPodPath: z.string().default(""),
  syncFrequency: duration({ minMs: 1 }).prefault("1m0s"),
  fileCheckFrequency: duration({ minMs: 1 }).prefault("20s"),
  httpCheckFrequency: duration({ minMs: 1 }).prefault("20s"),
  staticPodURL: z.string().default(""),
  staticPodURLHeader: z.record(z.string(), z.array(z.string())).default({}),
  runOnce: z.boolean().default(false),
  // Watch opens one watch for each object that a pod mounts, Get reads before every use.
  configMapAndSecretChangeDetectionStrategy: z.enum(["Get", "Cache", "Watch"]).default("Watch"),
  eventRecordQPS: int32(0).default(50),
  eventBurst: int32(0).default(100),
  contentType: contentType(),
  orchAPIQPS: int32(0).default(50),
  orchAPIBurst: int32(0).default(100),
};

/** The fields of the node object and of the node's network. */
export const nodeFields = {
  clusterDomain: z.string().default(""),
  clusterDNS: z.array(ipAddress()).default([]),
  // Their defaults depend on each other; the schema fills them in.
  nodeStatusUpdateFrequency: duration({ minMs: 1 }).optional(),
  nodeStatusReportFrequency: duration({ minMs: 1 }).optional(),
  // The lease is renewed four times in this period (KEP-589).
  nodeLeaseDurationSeconds: int32(1).default(40),
  // -1 is unlimited. Long lists of images make every status update large.
  nodeStatusMaxImages: int32(-1).default(50),
  volumeStatsAggPeriod: duration().prefault("1m0s"),
  hairpinMode: z.enum(["promiscuous-bridge", "hairpin-veth", "none"]).default("promiscuous-bridge"),
  maxPods: int32(0).default(110),
  // 0 is no limit by cores.
  podsPerCore: int32(0).default(0),
  podCIDR: z.string().default(""),
  resolvConf: z.string().default("/etc/resolv.conf"),
  enableControllerAttachDetach: z.boolean().default(true),
  makeIPTablesUtilChains: z.boolean().default(true),
  iptablesMasqueradeBit: int32(0, 31).default(14),
  iptablesDropBit: int32(0, 31).default(15),
  volumePluginDir: z.string().default("/usr/libexec/orchernetes/orchlet-plugins/volume/exec/"),
  providerID: z.string().default(""),
  registerWithTaints: z.array(registrationTaint).default([]),
  registerNode: z.boolean().default(true),
};

/** The fields of the container runtime, images and container logs. */
export const runtimeFields = {
  registryPullQPS: int32(0).default(5),
  registryBurst: int32(0).default(10),
  imageMinimumGCAge: duration({ minMs: 0 }).prefault("2m0s"),
  // Percent of disk usage at which the collection of images starts, and down to which it goes.
  imageGCHighThresholdPercent: int32(0, 100).default(85),
  imageGCLowThresholdPercent: int32(0, 100).default(80),
  runtimeRequestTimeout: duration({ minMs: 1 }).prefault("2m0s"),
  // One pull at a time by default: several compete for the disk and the network of the node.
  serializeImagePulls: z.boolean().default(true),
  maxParallelImagePulls: int32(1).optional(),
  containerLogMaxSize: z.string().default("10Mi"),
  containerLogMaxFiles: int32(2).default(5),
  seccompDefault: z.boolean().default(false),
  allowedUnsafeSysctls: z.array(z.string()).default([]),
  containerRuntimeEndpoint: z.string().min(1).default("unix:///run/containerd/containerd.sock"),
  imageServiceEndpoint: z.string().default(""),
};

/** The thresholds of eviction when the file sets none. A file that sets some replaces all of them. */
const evictionHard = {
  "memory.available": "100Mi",
  "nodefs.available": "10%",
  "nodefs.inodesFree": "5%",
  "imagefs.available": "15%",
};

/** The fields of control groups, resource managers, reserved resources, eviction and shutdown. */
export const resourceFields = {
  // The orchlet is killed after nearly everything else when the node runs out of memory.
  oomScoreAdj: int32(-1000, 1000).default(-999),
  orchletCgroups: z.string().default(""),
  systemCgroups: z.string().default(""),
  cgroupRoot: z.string().default(""),
  cgroupsPerQOS: z.boolean().default(true),
  cgroupDriver: z.enum(["cgroupfs", "systemd"]).default("cgroupfs"),
  cpuManagerPolicy: z.enum(["none", "static"]).default("none"),
  cpuManagerPolicyOptions: stringMap().default({}),
  cpuManagerReconcilePeriod: duration({ minMs: 1 }).prefault("10s"),
  memoryManagerPolicy: z
    .enum(["None", "Static", "none"])
    .transform((policy) => (policy === "none" ? "None" : policy))
    .default("None"),
  topologyManagerPolicy: z.enum(["none", "best-effort", "restricted", "single-numa-node"]).default("none"),
  topologyManagerScope: z.enum(["container", "pod"]).default("container"),
  topologyManagerPolicyOptions: stringMap().default({}),
  qosReserved: stringMap().default({}),
  // -1 is the limit of the system.
  podPidsLimit: int64().default(-1),
  cpuCFSQuota: z.boolean().default(true),
  // Milliseconds: the kernel accepts 1 ms to 1 s.
  cpuCFSQuotaPeriod: duration({ minMs: 1, maxMs: 1000 }).prefault("100ms"),
  maxOpenFiles: int64(0).default(1_000_000),
  evictionHard: stringMap().default(evictionHard),
  evictionSoft: stringMap().default({}),
  evictionSoftGracePeriod: stringMap().default({}),
  evictionPressureTransitionPeriod: duration({ minMs: 0 }).prefault("5m0s"),
  evictionMaxPodGracePeriod: int32().default(0),
  evictionMinimumReclaim: stringMap().default({}),
  protectKernelDefaults: z.boolean().default(false),
  failSwapOn: z.boolean().default(true),
  memorySwap: memorySwapConfiguration.prefault({}),
  systemReserved: stringMap().default({}),
  orchReserved: stringMap().default({}),
  reservedSystemCPUs: z.string().default(""),
  systemReservedCgroup: z.string().default(""),
  orchReservedCgroup: z.string().default(""),
  enforceNodeAllocatable: z.array(z.enum(["none", "pods", "system-reserved", "orch-reserved"])).default(["pods"]),
  kernelMemcgNotification: z.boolean().default(false),
  shutdownGracePeriod: duration({ minMs: 0 }).prefault("0s"),
  shutdownGracePeriodCriticalPods: duration({ minMs: 0 }).prefault("0s"),
  shutdownGracePeriodByPodPriority: z.array(shutdownGracePeriodByPodPriority).default([]),
  reservedMemory: z.array(memoryReservation).default([]),
  // `memory.high` is requests plus this part of the rest up to the limit (KEP-2570).
  memoryThrottlingFactor: z.number().gt(0).max(1).default(0.9),
  localStorageCapacityIsolation: z.boolean().default(true),
};

/** The fields of feature gates, metrics, logs and traces. */
export const generalFields = {
  featureGates: z.record(z.string(), z.boolean()).default({}),
  showHiddenMetricsForVersion: z.string().default(""),
  logging: loggingConfiguration.prefault({}),
  tracing: tracingConfiguration.optional(),
};
