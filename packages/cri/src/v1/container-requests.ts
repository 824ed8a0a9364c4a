/**
 * Requests and answers of the container lifecycle methods. Wire numbers: CRI `runtime.v1` at API level 1.27.
 *
 * @module
 */

import type {
  Container,
  ContainerConfig,
  ContainerFilter,
  ContainerStatus,
  LinuxContainerResources,
} from "./container.ts";
import type { PodSandboxConfig } from "./sandbox.ts";
import type { MessageSpec } from "./spec.ts";

/** Request of `CreateContainer`. */
export interface CreateContainerRequest {
  podSandboxId: string;
  config?: ContainerConfig;
  sandboxConfig?: PodSandboxConfig;
}

/** Answer of `CreateContainer`. */
export interface CreateContainerResponse {
  containerId: string;
}

/** Request of `StartContainer`. */
export interface StartContainerRequest {
  containerId: string;
}

/** Answer of `StartContainer`. */
export type StartContainerResponse = Record<never, never>;

/** Request of `StopContainer`. `timeout` is the grace period in seconds; 0 kills at once. */
export interface StopContainerRequest {
  containerId: string;
  timeout: number;
}

/** Answer of `StopContainer`. */
export type StopContainerResponse = Record<never, never>;

/** Request of `RemoveContainer`. */
export interface RemoveContainerRequest {
  containerId: string;
}

/** Answer of `RemoveContainer`. */
export type RemoveContainerResponse = Record<never, never>;

/** Request of `ListContainers`. */
export interface ListContainersRequest {
  filter?: ContainerFilter;
}

/** Answer of `ListContainers`. */
export interface ListContainersResponse {
  containers: Container[];
}

/** Request of `ContainerStatus`. */
export interface ContainerStatusRequest {
  containerId: string;
  verbose: boolean;
}

/** Answer of `ContainerStatus`. */
export interface ContainerStatusResponse {
  status?: ContainerStatus;
  info: Record<string, string>;
}

/** Request of `UpdateContainerResources`. */
export interface UpdateContainerResourcesRequest {
  containerId: string;
  linux?: LinuxContainerResources;
  annotations: Record<string, string>;
}

/** Answer of `UpdateContainerResources`. */
export type UpdateContainerResourcesResponse = Record<never, never>;

/** Request of `ReopenContainerLog`. */
export interface ReopenContainerLogRequest {
  containerId: string;
}

/** Answer of `ReopenContainerLog`. */
export type ReopenContainerLogResponse = Record<never, never>;

/** Request of `CheckpointContainer`. `timeout` in seconds; 0 means the runtime's default. */
export interface CheckpointContainerRequest {
  containerId: string;
  location: string;
  timeout: number;
}

/** Answer of `CheckpointContainer`. */
export type CheckpointContainerResponse = Record<never, never>;

/** Wire form of the messages of this file. */
export const containerRequestsMessages = {
  CreateContainerRequest: {
    podSandboxId: [1, "string"],
    config: [2, "ContainerConfig"],
    sandboxConfig: [3, "PodSandboxConfig"],
  } satisfies MessageSpec<CreateContainerRequest>,
  CreateContainerResponse: { containerId: [1, "string"] } satisfies MessageSpec<CreateContainerResponse>,
  StartContainerRequest: { containerId: [1, "string"] } satisfies MessageSpec<StartContainerRequest>,
  StartContainerResponse: {} satisfies MessageSpec<StartContainerResponse>,
  StopContainerRequest: {
    containerId: [1, "string"],
    timeout: [2, "int64"],
  } satisfies MessageSpec<StopContainerRequest>,
  StopContainerResponse: {} satisfies MessageSpec<StopContainerResponse>,
  RemoveContainerRequest: { containerId: [1, "string"] } satisfies MessageSpec<RemoveContainerRequest>,
  RemoveContainerResponse: {} satisfies MessageSpec<RemoveContainerResponse>,
  ListContainersRequest: { filter: [1, "ContainerFilter"] } satisfies MessageSpec<ListContainersRequest>,
  ListContainersResponse: { containers: [1, "[]Container"] } satisfies MessageSpec<ListContainersResponse>,
  ContainerStatusRequest: {
    containerId: [1, "string"],
    verbose: [2, "bool"],
  } satisfies MessageSpec<ContainerStatusRequest>,
  ContainerStatusResponse: {
    status: [1, "ContainerStatus"],
    info: [2, "map"],
  } satisfies MessageSpec<ContainerStatusResponse>,
  UpdateContainerResourcesRequest: {
    containerId: [1, "string"],
    linux: [2, "LinuxContainerResources"],
    annotations: [4, "map"],
  } satisfies MessageSpec<UpdateContainerResourcesRequest>,
  UpdateContainerResourcesResponse: {} satisfies MessageSpec<UpdateContainerResourcesResponse>,
  ReopenContainerLogRequest: { containerId: [1, "string"] } satisfies MessageSpec<ReopenContainerLogRequest>,
  ReopenContainerLogResponse: {} satisfies MessageSpec<ReopenContainerLogResponse>,
  CheckpointContainerRequest: {
    containerId: [1, "string"],
    location: [2, "string"],
    timeout: [3, "int64"],
  } satisfies MessageSpec<CheckpointContainerRequest>,
  CheckpointContainerResponse: {} satisfies MessageSpec<CheckpointContainerResponse>,
};
