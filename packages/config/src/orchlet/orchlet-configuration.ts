import { z } from "zod";
import type { DeepReadonly } from "../values.ts";
import { generalFields, nodeFields, resourceFields, runtimeFields, servingFields, sourceFields } from "./fields.ts";

const fields = z.strictObject({
  apiVersion: z.literal("orchlet.config.o8s.io/v1beta1"),
  kind: z.literal("OrchletConfiguration"),
  ...servingFields,
  ...sourceFields,
  ...nodeFields,
  ...runtimeFields,
  ...resourceFields,
  ...generalFields,
});

type Fields = z.output<typeof fields>;
type Rule = readonly [path: string, broken: (config: Fields) => boolean, want: string];

/**
 * Rules between fields, as in Kubernetes' validation of KubeletConfiguration. Each names the invalid field and the
 * accepted values.
 */
const rules: readonly Rule[] = [
  [
    "imageGCLowThresholdPercent",
    (c) => c.imageGCLowThresholdPercent >= c.imageGCHighThresholdPercent,
    "want less than imageGCHighThresholdPercent",
  ],
  [
    "maxParallelImagePulls",
    (c) => c.serializeImagePulls && (c.maxParallelImagePulls ?? 1) > 1,
    "want no more than 1 while serializeImagePulls is true",
  ],
  ["podsPerCore", (c) => c.podsPerCore > c.maxPods, "want no more than maxPods"],
  ["systemCgroups", (c) => c.systemCgroups !== "" && c.cgroupRoot === "", "want cgroupRoot set too"],
  ["systemCgroups", (c) => c.systemCgroups === "/", "want another group than the root"],
  [
    "iptablesDropBit",
    (c) => c.iptablesDropBit === c.iptablesMasqueradeBit,
    "want another bit than iptablesMasqueradeBit",
  ],
  [
    "shutdownGracePeriodCriticalPods",
    (c) => c.shutdownGracePeriodCriticalPods > c.shutdownGracePeriod,
    "want no more than shutdownGracePeriod",
  ],
  ["shutdownGracePeriod", (c) => c.shutdownGracePeriod > 0 && c.shutdownGracePeriod < 1000, "want 0 or at least 1s"],
  [
    "shutdownGracePeriodCriticalPods",
    (c) => c.shutdownGracePeriodCriticalPods > 0 && c.shutdownGracePeriodCriticalPods < 1000,
    "want 0 or at least 1s",
  ],
  [
    "shutdownGracePeriodByPodPriority",
    (c) =>
      c.shutdownGracePeriodByPodPriority.length > 0 && c.shutdownGracePeriod + c.shutdownGracePeriodCriticalPods > 0,
    "want it empty while shutdownGracePeriod or shutdownGracePeriodCriticalPods is set",
  ],
  [
    "enforceNodeAllocatable",
    (c) => c.enforceNodeAllocatable.includes("none") && c.enforceNodeAllocatable.length > 1,
    'want "none" alone',
  ],
  [
    "enforceNodeAllocatable",
    (c) => c.enforceNodeAllocatable.some((item) => item !== "none") && !c.cgroupsPerQOS,
    'want "none" while cgroupsPerQOS is false',
  ],
  [
    "systemReservedCgroup",
    (c) => c.enforceNodeAllocatable.includes("system-reserved") && c.systemReservedCgroup === "",
    "want a control group while enforceNodeAllocatable has system-reserved",
  ],
  [
    "orchReservedCgroup",
    (c) => c.enforceNodeAllocatable.includes("orch-reserved") && c.orchReservedCgroup === "",
    "want a control group while enforceNodeAllocatable has orch-reserved",
  ],
  [
    "reservedSystemCPUs",
    (c) => c.reservedSystemCPUs !== "" && c.systemReservedCgroup + c.orchReservedCgroup !== "",
    "want it empty while systemReservedCgroup or orchReservedCgroup is set",
  ],
  [
    "enableSystemLogQuery",
    (c) => c.enableSystemLogQuery && !c.enableSystemLogHandler,
    "want false while enableSystemLogHandler is false",
  ],
  [
    "reservedMemory",
    (c) => {
      const seen = c.reservedMemory.flatMap(({ numaNode, limits }) =>
        Object.keys(limits).map((type) => `${numaNode}/${type}`),
      );
      return new Set(seen).size < seen.length;
    },
    "want every NUMA node and type once",
  ],
  [
    "evictionSoftGracePeriod",
    (c) => Object.keys(c.evictionSoft).some((signal) => c.evictionSoftGracePeriod[signal] === undefined),
    "want a grace period for every signal in evictionSoft",
  ],
  [
    "qosReserved",
    (c) => Object.entries(c.qosReserved).some(([name, share]) => name !== "memory" || !/^(100|\d{1,2})%$/.test(share)),
    "want only memory, with a percentage such as 50%",
  ],
];

/** The file of `orchlet --config`, with defaults filled in; durations are milliseconds. */
export const orchletConfigurationSchema = fields
  .superRefine((config, context) => {
    for (const [path, broken, want] of rules) {
      if (broken(config)) context.addIssue({ code: "custom", path: path.split("."), message: want });
    }
  })
  .transform((config) => ({
    ...config,
    nodeStatusUpdateFrequency: config.nodeStatusUpdateFrequency ?? 10_000,
    // With leases (KEP-589) an unchanged status need not be reported at every update: 5 minutes is enough. An update
    // interval that is set is also the reporting interval, unless that is set as well.
    nodeStatusReportFrequency: config.nodeStatusReportFrequency ?? config.nodeStatusUpdateFrequency ?? 300_000,
    imageServiceEndpoint: config.imageServiceEndpoint || config.containerRuntimeEndpoint,
  }));

/** The schema of each field, by its name. */
export const orchletFields: Readonly<Record<string, z.ZodType>> = fields.shape;

/** The settings of the orchlet. Durations are milliseconds. */
export type OrchletConfiguration = DeepReadonly<z.output<typeof orchletConfigurationSchema>>;

/** Names of all fields of an OrchletConfiguration but `apiVersion` and `kind`. */
export const orchletFieldNames: readonly string[] = Object.keys(fields.shape).filter(
  (name) => name !== "apiVersion" && name !== "kind",
);

/** The feature gates that some fields require. {@link orchletGateErrors} checks them. */
export const orchletGates = [
  "CustomCPUCFSQuotaPeriod",
  "NodeSwap",
  "RotateOrchletServerCertificate",
  "NodeLogQuery",
  "ContainerCheckpoint",
  "OrchletTracing",
  "QOSReserved",
  "GracefulNodeShutdownBasedOnPodPriority",
  "GracefulNodeShutdown",
] as const;

/**
 * The settings that need a disabled feature gate, one line each.
 * @param enabled whether a feature gate is on, with `featureGates` of the configuration applied
 */
export function orchletGateErrors(
  config: OrchletConfiguration,
  enabled: (feature: string) => boolean,
): readonly string[] {
  const needs: readonly (readonly [boolean, string, (typeof orchletGates)[number]])[] = [
    [config.cpuCFSQuotaPeriod !== 100, "cpuCFSQuotaPeriod", "CustomCPUCFSQuotaPeriod"],
    [config.memorySwap.swapBehavior !== "", "memorySwap.swapBehavior", "NodeSwap"],
    [config.serverTLSBootstrap, "serverTLSBootstrap", "RotateOrchletServerCertificate"],
    [config.enableSystemLogQuery, "enableSystemLogQuery", "NodeLogQuery"],
    [config.tracing !== undefined, "tracing", "OrchletTracing"],
    [Object.keys(config.qosReserved).length > 0, "qosReserved", "QOSReserved"],
    [
      config.shutdownGracePeriodByPodPriority.length > 0,
      "shutdownGracePeriodByPodPriority",
      "GracefulNodeShutdownBasedOnPodPriority",
    ],
    [config.shutdownGracePeriod > 0, "shutdownGracePeriod", "GracefulNodeShutdown"],
  ];
  return needs
    .filter(([set, , feature]) => set && !enabled(feature))
    .map(([, field, feature]) => `field ${field}: want it unset, or feature gate ${feature} on`);
}
