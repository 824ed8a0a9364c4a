import { configFlags } from "./config-flags.ts";

/** The container runtime, images and logs. */
export const runtimeSection = configFlags("Runtime", {
  "container-runtime-endpoint": {
    field: "containerRuntimeEndpoint",
    type: "string",
    default: "unix:///run/containerd/containerd.sock",
    help: "Socket of the container runtime.",
  },
  "image-service-endpoint": {
    field: "imageServiceEndpoint",
    type: "string",
    default: "",
    help: "Socket of the image service; by default that of the runtime.",
  },
  "runtime-request-timeout": {
    field: "runtimeRequestTimeout",
    type: "duration",
    default: "2m0s",
    min: 1,
    help: "Timeout of requests to the runtime, except pull, logs, exec and attach.",
  },
  "serialize-image-pulls": {
    field: "serializeImagePulls",
    type: "bool",
    default: true,
    help: "Pulls one image after the other.",
  },
  "max-parallel-image-pulls": {
    field: "maxParallelImagePulls",
    type: "int",
    min: 1,
    help: "Maximum number of images pulled in parallel; cannot be combined with --serialize-image-pulls. Unset means no limit.",
  },
  "registry-qps": {
    field: "registryPullQPS",
    type: "int",
    default: 5,
    min: 0,
    help: "Pulls per second; 0 means no limit.",
  },
  "registry-burst": {
    field: "registryBurst",
    type: "int",
    default: 10,
    min: 0,
    help: "Burst of pulls if --registry-qps is greater than 0.",
  },
  "minimum-image-ttl-duration": {
    field: "imageMinimumGCAge",
    type: "duration",
    default: "2m0s",
    min: 0,
    help: "Minimum age of an unused image before it is removed.",
  },
  "image-gc-high-threshold": {
    field: "imageGCHighThresholdPercent",
    type: "int",
    default: 85,
    min: 0,
    max: 100,
    help: "Percentage of disk usage above which images are always removed.",
  },
  "image-gc-low-threshold": {
    field: "imageGCLowThresholdPercent",
    type: "int",
    default: 80,
    min: 0,
    max: 100,
    help: "Percentage of disk usage down to which images are removed; must be below the high threshold.",
  },
  "container-log-max-size": {
    field: "containerLogMaxSize",
    type: "string",
    default: "10Mi",
    help: "Size at which a container's log is rotated.",
  },
  "container-log-max-files": {
    field: "containerLogMaxFiles",
    type: "int",
    default: 5,
    min: 2,
    help: "Maximum number of log files to keep for a container.",
  },
  "seccomp-default": {
    field: "seccompDefault",
    type: "bool",
    default: false,
    help: "Uses RuntimeDefault as the seccomp profile of workloads without one.",
  },
  "allowed-unsafe-sysctls": {
    field: "allowedUnsafeSysctls",
    type: "strings",
    default: [],
    help: "Unsafe sysctls, or patterns ending in *, that pods may set.",
  },
});
