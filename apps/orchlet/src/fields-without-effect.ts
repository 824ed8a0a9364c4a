/** Fields of OrchletConfiguration that are read and checked but change nothing yet, with what they are for. */
export const fieldsWithoutEffect: Readonly<Record<string, string>> = Object.freeze({
  configMapAndSecretChangeDetectionStrategy:
    "how changes of config maps and secrets are noticed; they are read anew at every syncFrequency",
  contentType: "content type of API requests; JSON is spoken",
  cpuManagerPolicy: "exclusive CPUs",
  cpuManagerPolicyOptions: "options of exclusive CPUs",
  cpuManagerReconcilePeriod: "how often exclusive CPUs are checked",
  enableControllerAttachDetach: "attaching of volumes by a controller; no attachable kind is mounted",
  enableDebugFlagsHandler: "the page of debug flags",
  enableSystemLogHandler: "files under /logs/",
  enableSystemLogQuery: "queries of system logs",
  enforceNodeAllocatable: "control groups that hold pods and system processes within what they are given",
  evictionMinimumReclaim: "how much an eviction frees at least",
  evictionSoft: "thresholds that may be passed for a while",
  evictionSoftGracePeriod: "for how long soft thresholds may be passed",
  evictionMaxPodGracePeriod: "grace of pods evicted by a soft threshold",
  hairpinMode: "bridge set-up, which the network plugin sees to",
  iptablesDropBit: "packet filter marks",
  iptablesMasqueradeBit: "packet filter marks",
  kernelMemcgNotification: "kernel notifications of memory use",
  localStorageCapacityIsolation: "limits on local storage",
  makeIPTablesUtilChains: "packet filter chains",
  maxOpenFiles: "open files of the agent; the service manager sets them",
  memoryManagerPolicy: "memory of NUMA nodes",
  memorySwap: "swap of pods",
  memoryThrottlingFactor: "memory.high of control groups",
  oomScoreAdj: "the agent's own OOM score; the service manager sets it",
  orchletCgroups: "the agent's own control group",
  orchReservedCgroup: "the control group of cluster components",
  podCIDR: "addresses of pods, which the network plugin gives",
  protectKernelDefaults: "checks of kernel settings",
  qosReserved: "memory kept for guaranteed pods",
  readOnlyPort: "a second server without authentication",
  reservedMemory: "memory of NUMA nodes",
  rotateCertificates: "rotation of the client certificate",
  runOnce: "a single round over all pods",
  serverTLSBootstrap: "a serving certificate from the certificates API",
  shutdownGracePeriod: "an orderly end of pods at shutdown",
  shutdownGracePeriodByPodPriority: "an orderly end of pods at shutdown",
  shutdownGracePeriodCriticalPods: "an orderly end of pods at shutdown",
  systemCgroups: "the control group of other processes",
  systemReservedCgroup: "the control group of system processes",
  topologyManagerPolicy: "placement on NUMA nodes",
  topologyManagerPolicyOptions: "placement on NUMA nodes",
  topologyManagerScope: "placement on NUMA nodes",
  volumePluginDir: "third-party volume plugins",
  volumeStatsAggPeriod: "how often the use of volumes is summed up",
});

/** One line for each field without effect among those that are set. */
export function warningsOf(set: ReadonlySet<string>): readonly string[] {
  const roots = new Set([...set].map((path) => path.split(".")[0] ?? path));
  return Object.keys(fieldsWithoutEffect)
    .filter((field) => roots.has(field))
    .map((field) => `field ${field} has no effect yet: ${fieldsWithoutEffect[field]}`);
}
