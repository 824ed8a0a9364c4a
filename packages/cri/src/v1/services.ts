/**
 * The two services of CRI v1 as data: every method with its request and answer type.
 *
 * @module
 */
import type {
  CheckpointContainerRequest,
  CheckpointContainerResponse,
  ContainerStatusRequest,
  ContainerStatusResponse,
  CreateContainerRequest,
  CreateContainerResponse,
  ListContainersRequest,
  ListContainersResponse,
  RemoveContainerRequest,
  RemoveContainerResponse,
  ReopenContainerLogRequest,
  ReopenContainerLogResponse,
  StartContainerRequest,
  StartContainerResponse,
  StopContainerRequest,
  StopContainerResponse,
  UpdateContainerResourcesRequest,
  UpdateContainerResourcesResponse,
} from "./container-requests.ts";
import type {
  ImageFsInfoRequest,
  ImageFsInfoResponse,
  ImageStatusRequest,
  ImageStatusResponse,
  ListImagesRequest,
  ListImagesResponse,
  PullImageRequest,
  PullImageResponse,
  RemoveImageRequest,
  RemoveImageResponse,
} from "./image.ts";
import type {
  ListMetricDescriptorsRequest,
  ListMetricDescriptorsResponse,
  ListPodSandboxMetricsRequest,
  ListPodSandboxMetricsResponse,
} from "./metrics.ts";
import type {
  StatusRequest,
  StatusResponse,
  UpdateRuntimeConfigRequest,
  UpdateRuntimeConfigResponse,
  VersionRequest,
  VersionResponse,
} from "./runtime.ts";
import type {
  ListPodSandboxRequest,
  ListPodSandboxResponse,
  PodSandboxStatusRequest,
  PodSandboxStatusResponse,
  RemovePodSandboxRequest,
  RemovePodSandboxResponse,
  RunPodSandboxRequest,
  RunPodSandboxResponse,
  StopPodSandboxRequest,
  StopPodSandboxResponse,
} from "./sandbox.ts";
import type {
  ContainerStatsRequest,
  ContainerStatsResponse,
  ListContainerStatsRequest,
  ListContainerStatsResponse,
  ListPodSandboxStatsRequest,
  ListPodSandboxStatsResponse,
  PodSandboxStatsRequest,
  PodSandboxStatsResponse,
} from "./stats-requests.ts";
import type {
  AttachRequest,
  AttachResponse,
  ExecRequest,
  ExecResponse,
  ExecSyncRequest,
  ExecSyncResponse,
  PortForwardRequest,
  PortForwardResponse,
} from "./streams.ts";

/** Request and answer of every unary method of the runtime service. */
export interface RuntimeServiceMethods {
  version: [VersionRequest, VersionResponse];
  runPodSandbox: [RunPodSandboxRequest, RunPodSandboxResponse];
  stopPodSandbox: [StopPodSandboxRequest, StopPodSandboxResponse];
  removePodSandbox: [RemovePodSandboxRequest, RemovePodSandboxResponse];
  podSandboxStatus: [PodSandboxStatusRequest, PodSandboxStatusResponse];
  listPodSandbox: [ListPodSandboxRequest, ListPodSandboxResponse];
  createContainer: [CreateContainerRequest, CreateContainerResponse];
  startContainer: [StartContainerRequest, StartContainerResponse];
  stopContainer: [StopContainerRequest, StopContainerResponse];
  removeContainer: [RemoveContainerRequest, RemoveContainerResponse];
  listContainers: [ListContainersRequest, ListContainersResponse];
  containerStatus: [ContainerStatusRequest, ContainerStatusResponse];
  updateContainerResources: [UpdateContainerResourcesRequest, UpdateContainerResourcesResponse];
  reopenContainerLog: [ReopenContainerLogRequest, ReopenContainerLogResponse];
  execSync: [ExecSyncRequest, ExecSyncResponse];
  exec: [ExecRequest, ExecResponse];
  attach: [AttachRequest, AttachResponse];
  portForward: [PortForwardRequest, PortForwardResponse];
  containerStats: [ContainerStatsRequest, ContainerStatsResponse];
  listContainerStats: [ListContainerStatsRequest, ListContainerStatsResponse];
  podSandboxStats: [PodSandboxStatsRequest, PodSandboxStatsResponse];
  listPodSandboxStats: [ListPodSandboxStatsRequest, ListPodSandboxStatsResponse];
  updateRuntimeConfig: [UpdateRuntimeConfigRequest, UpdateRuntimeConfigResponse];
  status: [StatusRequest, StatusResponse];
  checkpointContainer: [CheckpointContainerRequest, CheckpointContainerResponse];
  listMetricDescriptors: [ListMetricDescriptorsRequest, ListMetricDescriptorsResponse];
  listPodSandboxMetrics: [ListPodSandboxMetricsRequest, ListPodSandboxMetricsResponse];
}

/** Request and answer of every method of the image service. */
export interface ImageServiceMethods {
  listImages: [ListImagesRequest, ListImagesResponse];
  imageStatus: [ImageStatusRequest, ImageStatusResponse];
  pullImage: [PullImageRequest, PullImageResponse];
  removeImage: [RemoveImageRequest, RemoveImageResponse];
  imageFsInfo: [ImageFsInfoRequest, ImageFsInfoResponse];
}

/** A method as data: names of its request and answer message, and whether the answer is a stream. */
export interface MethodSpec {
  readonly request: string;
  readonly response: string;
  readonly stream?: boolean;
}

/** Methods of `runtime.v1.RuntimeService` by their TypeScript name; the wire name starts with a capital. */
export const runtimeServiceMethods = {
  version: { request: "VersionRequest", response: "VersionResponse" },
  runPodSandbox: { request: "RunPodSandboxRequest", response: "RunPodSandboxResponse" },
  stopPodSandbox: { request: "StopPodSandboxRequest", response: "StopPodSandboxResponse" },
  removePodSandbox: { request: "RemovePodSandboxRequest", response: "RemovePodSandboxResponse" },
  podSandboxStatus: { request: "PodSandboxStatusRequest", response: "PodSandboxStatusResponse" },
  listPodSandbox: { request: "ListPodSandboxRequest", response: "ListPodSandboxResponse" },
  createContainer: { request: "CreateContainerRequest", response: "CreateContainerResponse" },
  startContainer: { request: "StartContainerRequest", response: "StartContainerResponse" },
  stopContainer: { request: "StopContainerRequest", response: "StopContainerResponse" },
  removeContainer: { request: "RemoveContainerRequest", response: "RemoveContainerResponse" },
  listContainers: { request: "ListContainersRequest", response: "ListContainersResponse" },
  containerStatus: { request: "ContainerStatusRequest", response: "ContainerStatusResponse" },
  updateContainerResources: {
    request: "UpdateContainerResourcesRequest",
    response: "UpdateContainerResourcesResponse",
  },
  reopenContainerLog: { request: "ReopenContainerLogRequest", response: "ReopenContainerLogResponse" },
  execSync: { request: "ExecSyncRequest", response: "ExecSyncResponse" },
  exec: { request: "ExecRequest", response: "ExecResponse" },
  attach: { request: "AttachRequest", response: "AttachResponse" },
  portForward: { request: "PortForwardRequest", response: "PortForwardResponse" },
  containerStats: { request: "ContainerStatsRequest", response: "ContainerStatsResponse" },
  listContainerStats: { request: "ListContainerStatsRequest", response: "ListContainerStatsResponse" },
  podSandboxStats: { request: "PodSandboxStatsRequest", response: "PodSandboxStatsResponse" },
  listPodSandboxStats: { request: "ListPodSandboxStatsRequest", response: "ListPodSandboxStatsResponse" },
  updateRuntimeConfig: { request: "UpdateRuntimeConfigRequest", response: "UpdateRuntimeConfigResponse" },
  status: { request: "StatusRequest", response: "StatusResponse" },
  checkpointContainer: { request: "CheckpointContainerRequest", response: "CheckpointContainerResponse" },
  getContainerEvents: { request: "GetEventsRequest", response: "ContainerEventResponse", stream: true },
  listMetricDescriptors: { request: "ListMetricDescriptorsRequest", response: "ListMetricDescriptorsResponse" },
  listPodSandboxMetrics: { request: "ListPodSandboxMetricsRequest", response: "ListPodSandboxMetricsResponse" },
} as const satisfies Record<string, MethodSpec>;
/** Methods of `runtime.v1.ImageService` by their TypeScript name; the wire name starts with a capital. */
export const imageServiceMethods = {
  listImages: { request: "ListImagesRequest", response: "ListImagesResponse" },
  imageStatus: { request: "ImageStatusRequest", response: "ImageStatusResponse" },
  pullImage: { request: "PullImageRequest", response: "PullImageResponse" },
  removeImage: { request: "RemoveImageRequest", response: "RemoveImageResponse" },
  imageFsInfo: { request: "ImageFsInfoRequest", response: "ImageFsInfoResponse" },
} as const satisfies Record<string, MethodSpec>;
