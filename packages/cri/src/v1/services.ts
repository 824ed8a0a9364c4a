/**
 * The two services of CRI `runtime.v1` at API level 1.27: every method that the node agent calls or the process runtime
 * serves, with its request and its response. A message's name is not part of its wire form, so methods whose messages have
 * the same fields share a description.
 *
 * @module
 */
import { Container, ContainerConfig, ContainerFilter, ContainerStatus, LinuxContainerResources } from "./container.ts";
import { bool, bytes, enumeration, int32, int64, list, nanos, string, stringMap, type ValueOf } from "./fields.ts";
import { AuthConfig, FilesystemUsage, Image, ImageSpec } from "./image.ts";
import { type Infer, message } from "./message.ts";
import { stream, unary } from "./method.ts";
import { PodSandbox, PodSandboxConfig, PodSandboxFilter, PodSandboxStatus } from "./sandbox.ts";
import { ContainerStats, PodSandboxStats } from "./stats.ts";

const Empty = message({});
const PodSandboxId = message({ podSandboxId: [1, string] });
const ContainerId = message({ containerId: [1, string] });
/** Where a streaming server serves the session. */
const SessionUrl = message({ url: [1, string] });
/** For debugging; only if the request is `verbose`. */
const info = stringMap;

/** Terminal and streams of a command in a container. */
export const ExecRequest = message({
  containerId: [1, string],
  cmd: [2, list(string)],
  tty: [3, bool],
  stdin: [4, bool],
  stdout: [5, bool],
  stderr: [6, bool],
});
export interface ExecRequest extends Infer<typeof ExecRequest> {}

/** Terminal and streams of a container's main process. */
export const AttachRequest = message({
  containerId: [1, string],
  stdin: [2, bool],
  tty: [3, bool],
  stdout: [4, bool],
  stderr: [5, bool],
});
export interface AttachRequest extends Infer<typeof AttachRequest> {}

/** Ports of a sandbox to forward. Without ports, those of later streams are accepted. */
export const PortForwardRequest = message({ podSandboxId: [1, string], port: [2, list(int32)] });
export interface PortForwardRequest extends Infer<typeof PortForwardRequest> {}

/** What happened to a container. */
const ContainerEventType = enumeration(
  "CONTAINER_CREATED_EVENT",
  "CONTAINER_STARTED_EVENT",
  "CONTAINER_STOPPED_EVENT",
  "CONTAINER_DELETED_EVENT",
);
/** What happened to a container, by the name of its value. */
export type ContainerEventType = ValueOf<typeof ContainerEventType>;

/** A container was created, started, stopped or deleted; with the pod's sandbox and all of its containers at that time. */
export const ContainerEventResponse = message({
  containerId: [1, string],
  containerEventType: [2, ContainerEventType],
  createdAt: [3, nanos],
  podSandboxStatus: [4, PodSandboxStatus],
  containersStatuses: [5, list(ContainerStatus)],
});
export interface ContainerEventResponse extends Infer<typeof ContainerEventResponse> {}

/** Methods of `runtime.v1.RuntimeService`. Timeouts are in seconds. */
export const runtimeService = {
  version: unary(
    message({ version: [1, string] }),
    message({
      version: [1, string],
      runtimeName: [2, string],
      runtimeVersion: [3, string],
      runtimeApiVersion: [4, string],
    }),
  ),
  runPodSandbox: unary(message({ config: [1, PodSandboxConfig], runtimeHandler: [2, string] }), PodSandboxId),
  stopPodSandbox: unary(PodSandboxId, Empty),
  removePodSandbox: unary(PodSandboxId, Empty),
  podSandboxStatus: unary(
    message({ podSandboxId: [1, string], verbose: [2, bool] }),
    message({
      status: [1, PodSandboxStatus],
      info: [2, info],
      /** Set, like `timestamp`, by runtimes with container events. */
      containersStatuses: [3, list(ContainerStatus)],
      timestamp: [4, nanos],
    }),
  ),
  listPodSandbox: unary(message({ filter: [1, PodSandboxFilter] }), message({ items: [1, list(PodSandbox)] })),
  createContainer: unary(
    message({ podSandboxId: [1, string], config: [2, ContainerConfig], sandboxConfig: [3, PodSandboxConfig] }),
    ContainerId,
  ),
  startContainer: unary(ContainerId, Empty),
  /** A timeout of 0 kills the container at once. */
  stopContainer: unary(message({ containerId: [1, string], timeout: [2, int64] }), Empty),
  removeContainer: unary(ContainerId, Empty),
  listContainers: unary(message({ filter: [1, ContainerFilter] }), message({ containers: [1, list(Container)] })),
  containerStatus: unary(
    message({ containerId: [1, string], verbose: [2, bool] }),
    message({ status: [1, ContainerStatus], info: [2, info] }),
  ),
  updateContainerResources: unary(
    message({ containerId: [1, string], linux: [2, LinuxContainerResources], annotations: [4, stringMap] }),
    Empty,
  ),
  reopenContainerLog: unary(ContainerId, Empty),
  /** Without a timeout, the command may run for any time. */
  execSync: unary(
    message({ containerId: [1, string], cmd: [2, list(string)], timeout: [3, int64] }),
    message({ stdout: [1, bytes], stderr: [2, bytes], exitCode: [3, int32] }),
  ),
  exec: unary(ExecRequest, SessionUrl),
  attach: unary(AttachRequest, SessionUrl),
  portForward: unary(PortForwardRequest, SessionUrl),
  containerStats: unary(ContainerId, message({ stats: [1, ContainerStats] })),
  listContainerStats: unary(
    message({
      filter: [1, message({ id: [1, string], podSandboxId: [2, string], labelSelector: [3, stringMap] })],
    }),
    message({ stats: [1, list(ContainerStats)] }),
  ),
  podSandboxStats: unary(PodSandboxId, message({ stats: [1, PodSandboxStats] })),
  listPodSandboxStats: unary(
    message({ filter: [1, message({ id: [1, string], labelSelector: [2, stringMap] })] }),
    message({ stats: [1, list(PodSandboxStats)] }),
  ),
  updateRuntimeConfig: unary(
    message({ runtimeConfig: [1, message({ networkConfig: [1, message({ podCidr: [1, string] })] })] }),
    Empty,
  ),
  status: unary(
    message({ verbose: [1, bool] }),
    message({
      status: [
        1,
        message({
          /** `RuntimeReady` and `NetworkReady` are always there. */
          conditions: [
            1,
            list(message({ type: [1, string], status: [2, bool], reason: [3, string], message: [4, string] })),
          ],
        }),
      ],
      info: [2, info],
    }),
  ),
  /** Writes the state of a running container to the file `location`. A timeout of 0 is the runtime's own. */
  checkpointContainer: unary(message({ containerId: [1, string], location: [2, string], timeout: [3, int64] }), Empty),
  /**
   * Container events from now on, without a deadline. Fails with `Unimplemented` if the runtime lacks it (containerd
   * before 1.7). Leaving the loop cancels the call.
   */
  getContainerEvents: stream(Empty, ContainerEventResponse),
};

/** Methods of `runtime.v1.ImageService`. */
export const imageService = {
  listImages: unary(
    message({ filter: [1, message({ image: [1, ImageSpec] })] }),
    message({ images: [1, list(Image)] }),
  ),
  imageStatus: unary(
    message({ image: [1, ImageSpec], verbose: [2, bool] }),
    message({ image: [1, Image], info: [2, info] }),
  ),
  pullImage: unary(
    message({ image: [1, ImageSpec], auth: [2, AuthConfig], sandboxConfig: [3, PodSandboxConfig] }),
    message({ imageRef: [1, string] }),
  ),
  removeImage: unary(message({ image: [1, ImageSpec] }), Empty),
  imageFsInfo: unary(Empty, message({ imageFilesystems: [1, list(FilesystemUsage)] })),
};
