/**
 * Containers: what is requested and what is observed.
 *
 * @module
 */
import {
  bool,
  enumeration,
  int32,
  int64,
  list,
  nanos,
  string,
  stringMap,
  uint32,
  uint64,
  type ValueOf,
} from "./fields.ts";
import { ImageSpec } from "./image.ts";
import { type Infer, message } from "./message.ts";
import { IDMapping, LinuxContainerSecurityContext } from "./security.ts";

/** A host path that is visible in a container. */
export const Mount = message({
  containerPath: [1, string],
  hostPath: [2, string],
  readonly: [3, bool],
  selinuxRelabel: [4, bool],
  propagation: [5, enumeration("PROPAGATION_PRIVATE", "PROPAGATION_HOST_TO_CONTAINER", "PROPAGATION_BIDIRECTIONAL")],
  uidMappings: [6, list(IDMapping)],
  gidMappings: [7, list(IDMapping)],
});
export interface Mount extends Infer<typeof Mount> {}

/** A host device that is visible in a container. */
export const Device = message({
  containerPath: [1, string],
  hostPath: [2, string],
  /** Subset of `rwm`: read, write, mknod. */
  permissions: [3, string],
});
export interface Device extends Infer<typeof Device> {}

/** Identity of a container within its sandbox. A restart is a new container with the next `attempt`. */
const ContainerMetadata = message({ name: [1, string], attempt: [2, uint32] });

/** Settings of the container's control group. */
export const LinuxContainerResources = message({
  /** µs, as `cpuQuota`; 0 means not set. */
  cpuPeriod: [1, int64],
  cpuQuota: [2, int64],
  cpuShares: [3, int64],
  memoryLimitInBytes: [4, int64],
  oomScoreAdj: [5, int64],
  /** List format of the kernel, such as `0-3,7`. */
  cpusetCpus: [6, string],
  cpusetMems: [7, string],
  /** Limits in bytes by page size, such as `2MB`. */
  hugepageLimits: [8, list(message({ pageSize: [1, string], limit: [2, uint64] }))],
  /** Files of control groups v2 by name. */
  unified: [9, stringMap],
  memorySwapLimitInBytes: [10, int64],
});
export interface LinuxContainerResources extends Infer<typeof LinuxContainerResources> {}

/** Everything that is needed to create a container. */
export const ContainerConfig = message({
  metadata: [1, ContainerMetadata],
  image: [2, ImageSpec],
  /** Replaces the image's entrypoint, as `args` replaces its command. */
  command: [3, list(string)],
  args: [4, list(string)],
  workingDir: [5, string],
  envs: [6, list(message({ key: [1, string], value: [2, string] }))],
  mounts: [7, list(Mount)],
  devices: [8, list(Device)],
  labels: [9, stringMap],
  annotations: [10, stringMap],
  /** Relative to the sandbox's `logDirectory`. */
  logPath: [11, string],
  stdin: [12, bool],
  /** Closes standard input when the first client that attached to it leaves. */
  stdinOnce: [13, bool],
  tty: [14, bool],
  linux: [
    15,
    message({ resources: [1, LinuxContainerResources], securityContext: [2, LinuxContainerSecurityContext] }),
  ],
  /** Fully qualified names of the container device interface. */
  cdiDevices: [17, list(message({ name: [1, string] }))],
});
export interface ContainerConfig extends Infer<typeof ContainerConfig> {}

/** State of a container. UNKNOWN means that the runtime has lost track of it. */
export const ContainerState = enumeration(
  "CONTAINER_CREATED",
  "CONTAINER_RUNNING",
  "CONTAINER_EXITED",
  "CONTAINER_UNKNOWN",
);
export type ContainerState = ValueOf<typeof ContainerState>;

/** A container in a list. */
export const Container = message({
  id: [1, string],
  podSandboxId: [2, string],
  metadata: [3, ContainerMetadata],
  image: [4, ImageSpec],
  /** Id of the image. */
  imageRef: [5, string],
  state: [6, ContainerState],
  createdAt: [7, nanos],
  labels: [8, stringMap],
  annotations: [9, stringMap],
});
export interface Container extends Infer<typeof Container> {}

/** Selects containers; all parts that are set must match. */
export const ContainerFilter = message({
  id: [1, string],
  /** In a message of its own, so that an absent state differs from `CONTAINER_CREATED`. */
  state: [2, message({ state: [1, ContainerState] })],
  podSandboxId: [3, string],
  labelSelector: [4, stringMap],
});
export interface ContainerFilter extends Infer<typeof ContainerFilter> {}

/** An observed container. */
export const ContainerStatus = message({
  id: [1, string],
  metadata: [2, ContainerMetadata],
  state: [3, ContainerState],
  createdAt: [4, nanos],
  /** 0n until the container has started. */
  startedAt: [5, nanos],
  /** 0n until the container has exited. */
  finishedAt: [6, nanos],
  exitCode: [7, int32],
  image: [8, ImageSpec],
  /** Id of the image. */
  imageRef: [9, string],
  /** One word, such as `OOMKilled`. */
  reason: [10, string],
  message: [11, string],
  labels: [12, stringMap],
  annotations: [13, stringMap],
  mounts: [14, list(Mount)],
  /** Absolute. */
  logPath: [15, string],
  resources: [16, message({ linux: [1, LinuxContainerResources] })],
});
export interface ContainerStatus extends Infer<typeof ContainerStatus> {}

/** Identity of a container in statistics. */
export const ContainerAttributes = message({
  id: [1, string],
  metadata: [2, ContainerMetadata],
  labels: [3, stringMap],
  annotations: [4, stringMap],
});
