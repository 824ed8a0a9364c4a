import { configFlags } from "./config-flags.ts";

const thresholds = (items: readonly string[]) =>
  items.every((item) => /^[a-zA-Z.]+<[^<>]+$/.test(item)) ? undefined : "signal<quantity or signal<percentage%";

/** Control groups, reservations, eviction and shutdown. */
export const resourceSection = configFlags("Resources", {
  "cgroup-driver": {
    type: "string",
    default: "cgroupfs",
    oneOf: ["cgroupfs", "systemd"],
    help: "Driver that creates control groups.",
  },
  "cgroup-root": {
    type: "string",
    default: "",
    help: "Parent of the control groups of pods; by default that of the runtime.",
  },
  "cgroups-per-qos": {
    type: "bool",
    default: true,
    help: "Creates a hierarchy of control groups by quality of service, with one group for each pod.",
  },
  "orchlet-cgroups": { type: "string", default: "", help: "Control group in which the agent runs." },
  "system-cgroups": {
    type: "string",
    default: "",
    help: "Control group for processes that are not in one; requires --cgroup-root.",
  },
  "system-reserved": {
    type: "stringToString",
    default: {},
    help: "Resources reserved for the host, such as cpu=200m,memory=500Mi.",
  },
  "system-reserved-cgroup": {
    type: "string",
    default: "",
    help: "Control group of the host's processes, for --enforce-node-allocatable=system-reserved.",
  },
  "orch-reserved": {
    type: "stringToString",
    default: {},
    help: "Resources reserved for the cluster's daemons, such as cpu=200m,memory=500Mi.",
  },
  "orch-reserved-cgroup": {
    type: "string",
    default: "",
    help: "Control group of the cluster's daemons, for --enforce-node-allocatable=orch-reserved.",
  },
  "enforce-node-allocatable": {
    type: "strings",
    default: ["pods"],
    oneOf: ["none", "pods", "system-reserved", "orch-reserved"],
    help: "Levels at which the agent enforces the allocatable resources.",
  },
  "reserved-cpus": {
    type: "string",
    default: "",
    help: "CPUs reserved for the host and the cluster's daemons, such as 0-1,4.",
  },
  "reserved-memory": {
    type: "repeated",
    default: [],
    validate: (items) =>
      items.every((item) => /^\d+:[^=]+=[^=]+/.test(item)) ? undefined : "numa:type=size, such as 0:memory=1Gi",
    help: "Memory reserved on a NUMA node as numa:type=size, such as 0:memory=1Gi,hugepages-2Mi=2Gi; may be repeated.",
  },
  "qos-reserved": {
    type: "stringToString",
    default: {},
    effect: "none",
    help: "Percentage of a resource reserved for guaranteed pods, such as memory=50%; requires feature QOSReserved.",
  },
  "cpu-cfs-quota": { type: "bool", default: true, help: "Enforces CPU limits with CFS quotas." },
  "cpu-cfs-quota-period": {
    type: "duration",
    default: "100ms",
    min: 1,
    max: 1000,
    help: "Period of CPU quotas; a value other than 100ms requires feature CustomCPUCFSQuotaPeriod.",
  },
  "cpu-manager-policy": {
    type: "string",
    default: "none",
    oneOf: ["none", "static"],
    help: "How CPUs are assigned to containers.",
  },
  "cpu-manager-policy-options": {
    type: "stringToString",
    default: {},
    effect: "none",
    help: "Options of the CPU manager policy as key=value.",
  },
  "cpu-manager-reconcile-period": {
    type: "duration",
    default: "10s",
    min: 1,
    help: "Interval between reconciliations of the CPU manager.",
  },
  "memory-manager-policy": {
    type: "string",
    default: "None",
    oneOf: ["None", "Static"],
    help: "How memory of NUMA nodes is assigned to containers.",
  },
  "topology-manager-policy": {
    type: "string",
    default: "none",
    oneOf: ["none", "best-effort", "restricted", "single-numa-node"],
    help: "How resources are aligned to NUMA nodes.",
  },
  "topology-manager-scope": {
    type: "string",
    default: "container",
    oneOf: ["container", "pod"],
    help: "Whether resources are aligned for each container or for the pod.",
  },
  "topology-manager-policy-options": {
    type: "stringToString",
    default: {},
    effect: "none",
    help: "Options of the topology manager policy as key=value.",
  },
  "pod-max-pids": {
    type: "int",
    default: -1,
    min: -1,
    help: "Maximum number of processes in a pod; -1 means the node's limit.",
  },
  "max-open-files": { type: "int", default: 1000000, min: 0, help: "Maximum number of files that the agent may open." },
  "oom-score-adj": {
    type: "int",
    default: -999,
    min: -1000,
    max: 1000,
    help: "OOM score adjustment of the agent.",
  },
  "fail-swap-on": { type: "bool", default: true, help: "Fails to start if swap is enabled." },
  "memory-swap": {
    type: "string",
    default: "",
    oneOf: ["", "LimitedSwap", "UnlimitedSwap"],
    help: "How pods may use swap; requires feature NodeSwap.",
  },
  "memory-throttling-factor": {
    type: "float",
    default: 0.9,
    min: 0,
    max: 1,
    help: "Fraction of a container's memory limit at which it is throttled on cgroup v2; requires feature MemoryQoS.",
  },
  "protect-kernel-defaults": {
    type: "bool",
    default: false,
    help: "Fails if kernel settings differ from the agent's defaults, instead of changing them.",
  },
  "kernel-memcg-notification": {
    type: "bool",
    default: false,
    help: "Uses notifications of the kernel when memory thresholds are crossed, instead of polling.",
  },
  "local-storage-capacity-isolation": {
    type: "bool",
    default: true,
    help: "Enables accounting and limits of ephemeral storage.",
  },
  "eviction-hard": {
    type: "strings",
    validate: thresholds,
    help: "Thresholds that evict pods at once, such as memory.available<1Gi. Defaults to memory.available<100Mi,nodefs.available<10%,nodefs.inodesFree<5%,imagefs.available<15%.",
  },
  "eviction-soft": {
    type: "strings",
    default: [],
    validate: thresholds,
    help: "Thresholds that evict pods after a grace period, such as memory.available<1.5Gi.",
  },
  "eviction-soft-grace-period": {
    type: "stringToString",
    default: {},
    effect: "none",
    help: "Grace period of each soft threshold, such as memory.available=1m30s.",
  },
  "eviction-max-pod-grace-period": {
    type: "int",
    default: 0,
    help: "Maximum grace period in seconds of pods that are evicted by a soft threshold; a negative number means the pod's own.",
  },
  "eviction-minimum-reclaim": {
    type: "stringToString",
    default: {},
    effect: "none",
    help: "Minimum amount to reclaim for each signal, such as imagefs.available=2Gi.",
  },
  "eviction-pressure-transition-period": {
    type: "duration",
    default: "5m0s",
    min: 0,
    help: "How long the node still reports pressure after a threshold is no longer met.",
  },
  "shutdown-grace-period": {
    type: "duration",
    default: "0s",
    min: 0,
    help: "How long a shutdown of the host waits for pods.",
  },
  "shutdown-grace-period-critical-pods": {
    type: "duration",
    default: "0s",
    min: 0,
    help: "Part of --shutdown-grace-period that is reserved for critical pods.",
  },
  "shutdown-grace-period-by-pod-priority": {
    type: "stringToString",
    default: {},
    validate: (map) =>
      [...map].every(([priority, seconds]) => /^-?\d+$/.test(priority) && /^\d+$/.test(seconds))
        ? undefined
        : "priority=seconds pairs",
    effect: "none",
    help: "Seconds that a shutdown waits for pods of a priority and above, as priority=seconds; cannot be combined with the two other periods.",
  },
  tracing: {
    type: "stringToString",
    default: {},
    validate: (map) =>
      [...map.keys()].every((key) => ["endpoint", "samplingRatePerMillion"].includes(key))
        ? undefined
        : "endpoint=host:port and samplingRatePerMillion=N",
    help: "Destination and sampling rate of spans, as endpoint=host:port,samplingRatePerMillion=N.",
  },
});
