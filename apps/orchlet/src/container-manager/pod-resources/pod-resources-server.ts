import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import type { core } from "@orchernetes/api";
import type { Metrics } from "@orchernetes/component";
import type { Logger } from "@orchernetes/kernel";
import {
  type AllocatableResourcesResponse,
  type ContainerDevices,
  type ContainerMemory,
  type PodResources,
  servePodResources,
} from "./pod-resources-api.ts";

/** Devices of one resource on one NUMA node. */
interface DeviceGroup {
  readonly resource: string;
  readonly ids: readonly string[];
  /** Undefined for devices that belong to no node. */
  readonly node: number | undefined;
}

/** Memory of one kind. */
interface MemoryGroup {
  readonly kind: string;
  readonly bytes: number;
  readonly nodes: readonly number[];
}

/** Resources that belong to one container at a time. */
export interface AssignedResources {
  readonly devices: readonly DeviceGroup[];
  readonly cpus: readonly number[];
  readonly memory: readonly MemoryGroup[];
}

/** The data of the API, and which of its methods are enabled. */
export interface PodResourcesOptions {
  readonly socketPath: string;
  /** Pods of this node that have not terminated. */
  readonly active: () => readonly core.Pod[];
  readonly assigned: (podUid: string, container: string) => AssignedResources;
  readonly allocatable: () => AssignedResources;
  readonly featureEnabled: (gate: string) => boolean;
  readonly metrics: Metrics;
  readonly logger: Logger;
}

/** Serves the API until the signal aborts. Never rejects: the agent can run without the API. */
export async function runPodResourcesServer(options: PodResourcesOptions, signal: AbortSignal): Promise<void> {
  const { socketPath, active, assigned, allocatable, featureEnabled, logger } = options;
  const measured = measures(options.metrics);
  const list = () => ({ podResources: active().map((pod) => resourcesOf(pod, assigned)) });
  try {
    await mkdir(dirname(socketPath), { recursive: true, mode: 0o750 });
    const server = await servePodResources(
      socketPath,
      {
        list: () => measured("v1", "list", list),
        getAllocatableResources: () =>
          measured("v1", "get_allocatable", (): AllocatableResourcesResponse => {
            if (!featureEnabled("OrchletPodResourcesGetAllocatable"))
              throw new Error("PodResources API GetAllocatableResources disabled");
            const { devices, cpus, memory } = allocatable();
            return { devices: devices.map(toDevices), cpuIds: [...cpus], memory: memory.map(toMemory) };
          }),
        get: ({ podName, podNamespace }) =>
          measured("v1", "get", () => {
            if (!featureEnabled("OrchletPodResourcesGet")) throw new Error("PodResources API Get method disabled");
            const pod = active().find(
              ({ metadata }) => metadata.name === podName && metadata.namespace === podNamespace,
            );
            if (pod === undefined) throw new Error(`pod ${podName} in namespace ${podNamespace} not found`);
            return { podResources: resourcesOf(pod, assigned) };
          }),
      },
      { list: () => measured("v1alpha1", "list", () => ({ podResources: list().podResources.map(onlyDevices) })) },
    );
    const close = () => void server.close();
    if (signal.aborted) close();
    else signal.addEventListener("abort", close, { once: true });
  } catch (error) {
    logger.error(error, "Unable to serve the resources of pods", { socketPath });
  }
}

function resourcesOf({ metadata, spec }: core.Pod, assigned: PodResourcesOptions["assigned"]): PodResources {
  return {
    name: metadata.name ?? "",
    namespace: metadata.namespace ?? "",
    containers: spec.containers.map(({ name }) => {
      const { devices, cpus, memory } = assigned(metadata.uid ?? "", name);
      return { name, devices: devices.map(toDevices), cpuIds: [...cpus], memory: memory.map(toMemory) };
    }),
  };
}

const toDevices = ({ resource, ids, node }: DeviceGroup): ContainerDevices => ({
  resourceName: resource,
  deviceIds: [...ids],
  ...(node !== undefined && { topology: { nodes: [{ id: node }] } }),
});

const toMemory = ({ kind, bytes, nodes }: MemoryGroup): ContainerMemory => ({
  memoryType: kind,
  size: bytes,
  topology: { nodes: nodes.map((id) => ({ id })) },
});

/** Version v1alpha1 knows only devices. */
const onlyDevices = ({ name, namespace, containers }: PodResources): PodResources => ({
  name,
  namespace,
  containers: containers.map((container) => ({ ...container, cpuIds: [], memory: [] })),
});

type Endpoint = "list" | "get_allocatable" | "get";
type Version = "v1" | "v1alpha1";

/** Counts requests and errors. */
function measures(metrics: Metrics): <T>(version: Version, endpoint: Endpoint, answer: () => T) => T {
  const counter = (name: string, help: string) =>
    metrics.counter({
      name: `orchlet_pod_resources_endpoint_${name}`,
      help: `${help} Broken down by server api version.`,
      labelNames: ["server_api_version"],
    });
  const total = counter("requests_total", "Cumulative number of requests to the PodResource endpoint.");
  const ofEndpoint = (kind: string, endpoint: Endpoint, what: string) =>
    counter(`${kind}_${endpoint}`, `Number of ${what} to the PodResource ${endpoint} endpoint.`);
  const of = (kind: string, what: string) => ({
    list: ofEndpoint(kind, "list", what),
    get_allocatable: ofEndpoint(kind, "get_allocatable", what),
    get: ofEndpoint(kind, "get", what),
  });
  const requests = of("requests", "requests");
  const errors = of("errors", "requests that failed");
  return (version, endpoint, answer) => {
    total.inc([version]);
    requests[endpoint].inc([version]);
    try {
      return answer();
    } catch (error) {
      errors[endpoint].inc([version]);
      throw error;
    }
  };
}
