/**
 * The API by which programs of a node, such as device monitors, learn which pods have which resources. Field numbers are those of
 * the original's `podresources/v1/api.proto`; `v1alpha1` is a subset.
 *
 * @module
 */
import {
  type Calls,
  type Handlers,
  type Infer,
  int64,
  list,
  message,
  openService,
  served,
  serveGrpc,
  string,
  uint64,
  unary,
} from "@orchernetes/cri/grpc";

const TopologyInfo = message({ nodes: [1, list(message({ id: [1, int64] }))] });

/** Devices of a container, or those that can be allocated. */
const ContainerDevices = message({
  resourceName: [1, string],
  deviceIds: [2, list(string)],
  /** Absent for devices that belong to no NUMA node. */
  topology: [3, TopologyInfo],
});
export interface ContainerDevices extends Infer<typeof ContainerDevices> {}

/** Memory of a container, or that which can be allocated. */
const ContainerMemory = message({ memoryType: [1, string], size: [2, uint64], topology: [3, TopologyInfo] });
export interface ContainerMemory extends Infer<typeof ContainerMemory> {}

const ContainerResources = message({
  name: [1, string],
  devices: [2, list(ContainerDevices)],
  cpuIds: [3, list(int64)],
  memory: [4, list(ContainerMemory)],
});

/** The resources of a pod's containers. */
const PodResources = message({ name: [1, string], namespace: [2, string], containers: [3, list(ContainerResources)] });
export interface PodResources extends Infer<typeof PodResources> {}

const AllocatableResourcesResponse = message({
  devices: [1, list(ContainerDevices)],
  cpuIds: [2, list(int64)],
  memory: [3, list(ContainerMemory)],
});
export interface AllocatableResourcesResponse extends Infer<typeof AllocatableResourcesResponse> {}

const Empty = message({});
const ListPodResourcesResponse = message({ podResources: [1, list(PodResources)] });

const podResourcesService = {
  list: unary(Empty, ListPodResourcesResponse),
  getAllocatableResources: unary(Empty, AllocatableResourcesResponse),
  get: unary(
    message({ podName: [1, string], podNamespace: [2, string] }),
    message({ podResources: [1, PodResources] }),
  ),
} as const;
const alphaService = { list: podResourcesService.list } as const;

/** The methods of version v1. */
export type PodResourcesHandlers = Handlers<typeof podResourcesService>;

/** Serves both versions on a socket. @throws Error if another server listens on the path */
export const servePodResources = (
  socketPath: string,
  v1: PodResourcesHandlers,
  v1alpha1: Handlers<typeof alphaService>,
): Promise<{ close(): Promise<void> }> =>
  serveGrpc(socketPath, [
    served("v1.PodResourcesLister", podResourcesService, v1),
    served("v1alpha1.PodResourcesLister", alphaService, v1alpha1),
  ]);

/** Opens the API, as a program of the node does. */
export const openPodResources = (
  socketPath: string,
  version: "v1" | "v1alpha1" = "v1",
): { readonly calls: Calls<typeof podResourcesService>; close(): void } =>
  openService(socketPath, `${version}.PodResourcesLister`, podResourcesService, { timeoutMs: 10_000 });
