/** Fields of OrchletConfiguration that are read and checked but change nothing yet, with what they are for. */
export const fieldsWithoutEffect: Readonly<Record<string, string>> = Object.freeze({
  configMapAndSecretChangeDetectionStrategy:
    "how changes of config maps and secrets are noticed; they are read anew at every syncFrequency",
  cgroupDriver: "the driver of control groups: cgroupfs is spoken",
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
  qosReserved: "memory kept for guaranteed pods",
  readOnlyPort: "a second server without authentication",
  registryBurst: "image pulls at once; maxParallelImagePulls limits them",
  registryPullQPS: "image pulls a second; maxParallelImagePulls limits them",
  reservedMemory: "memory of NUMA nodes",
  runOnce: "a single round over all pods",
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

/** Whether a field, by its dotted path, has no effect. */
export function isWithoutEffect(path: string): boolean {
  return Object.keys(fieldsWithoutEffect).some((field) => path === field || path.startsWith(`${field}.`));
}

/** One line for each field without effect among those that are set. */
export function warningsOf(isSet: (path: string) => boolean): readonly string[] {
  return Object.keys(fieldsWithoutEffect)
    .filter(isSet)
    .map((field) => `field ${field} has no effect yet: ${fieldsWithoutEffect[field]}`);
}
