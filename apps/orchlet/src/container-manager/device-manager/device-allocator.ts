import type { core } from "@orchernetes/api";
import { valueOf as wholeValueOf } from "@orchernetes/apimachinery";
import type { Metrics } from "@orchernetes/component";
import { type Clock, type Logger, messageOf } from "@orchernetes/kernel";
import type { HintProvider, ResourceHints, TopologyHint } from "../topology-manager/hint.ts";
import { chooseDevices, divideDevices } from "./choose-devices.ts";
import { deviceHints } from "./device-hints.ts";
import type { DeviceInventory } from "./device-inventory.ts";
import { ContainerAllocateResponse } from "./device-plugin-api.ts";
import type { DevicePlugins } from "./device-plugins.ts";
import { idsByNode, type PodDevices } from "./pod-devices.ts";

/** The options of a device allocator. */
export interface DeviceAllocatorOptions {
  readonly inventory: DeviceInventory;
  readonly plugins: Pick<DevicePlugins, "get">;
  readonly podDevices: PodDevices;
  /** Called when the devices of containers have changed. */
  readonly onAllocated: () => void;
  /** NUMA nodes of the machine. */
  readonly nodes: readonly number[];
  readonly metrics: Metrics;
  readonly clock: Pick<Clock, "monotonicMs">;
  readonly logger: Logger;
}

/** Allocates the devices of plugins to containers. One container at a time. */
export class DeviceAllocator implements HintProvider {
  readonly #options: DeviceAllocatorOptions;
  readonly #durations;

  constructor(options: DeviceAllocatorOptions) {
    this.#options = options;
    this.#durations = options.metrics.histogram({
      name: "orchlet_device_plugin_alloc_duration_seconds",
      help: "Duration in seconds to serve a device plugin Allocation request. Broken down by resource name.",
      labelNames: ["resource_name"],
    });
  }

  concerns(pod: core.Pod): boolean {
    return [...(pod.spec.initContainers ?? []), ...pod.spec.containers].some(
      (container) => this.wanted(container).size > 0,
    );
  }

  /** How many devices a container wants, by resource; only resources of plugins. */
  wanted({ resources }: Pick<core.Container, "resources">): ReadonlyMap<string, number> {
    const { inventory, podDevices } = this.#options;
    return new Map(
      Object.entries(resources?.limits ?? {}).flatMap(([resource, amount]) => {
        // A resource that the node no longer has is still one of a plugin while containers have devices of it.
        if (!inventory.has(resource) && podDevices.inUse(resource).size === 0) return [];
        const count = wholeValueOf(amount);
        return count > 0 ? [[resource, count] as const] : [];
      }),
    );
  }

  containerHints(pod: core.Pod, container: core.Container): ResourceHints {
    const { podDevices } = this.#options;
    const uid = pod.metadata.uid ?? "";
    return this.#hints(this.wanted(container), (resource) => {
      const had = podDevices.ids(uid, container.name, resource);
      return had === undefined
        ? { allocated: undefined, reusable: this.#reusable(pod, container, resource) }
        : { allocated: had, reusable: [] };
    });
  }

  podHints(pod: core.Pod): ResourceHints {
    const { podDevices } = this.#options;
    const all = [...(pod.spec.initContainers ?? []), ...pod.spec.containers];
    const total = new Map<string, number>();
    for (const container of pod.spec.containers)
      for (const [resource, count] of this.wanted(container)) total.set(resource, (total.get(resource) ?? 0) + count);
    for (const container of pod.spec.initContainers ?? [])
      for (const [resource, count] of this.wanted(container))
        total.set(resource, Math.max(total.get(resource) ?? 0, count));
    return this.#hints(total, (resource) => {
      const uid = pod.metadata.uid ?? "";
      const had = [...new Set(all.flatMap(({ name }) => podDevices.ids(uid, name, resource) ?? []))];
      return { allocated: had.length === 0 ? undefined : had, reusable: [] };
    });
  }

  async allocate(pod: core.Pod, container: core.Container, affinity: TopologyHint, signal: AbortSignal): Promise<void> {
    const { podDevices, inventory, plugins, onAllocated, clock } = this.#options;
    const podUid = pod.metadata.uid ?? "";
    for (const [resource, count] of this.wanted(container)) {
      const plugin = plugins.get(resource);
      const healthy = inventory.healthy(resource);
      if (this.#hasAll(podUid, container.name, resource, count)) continue;
      if (plugin === undefined) throw noneHealthy(resource);
      const inUse = podDevices.inUse(resource);
      const devices = inventory.devices(resource);
      const free = healthy.flatMap((id) => (inUse.has(id) ? [] : (devices.get(id) ?? [])));
      const ids = await chooseDevices(
        resource,
        count,
        {
          reusable: this.#reusable(pod, container, resource).filter((id) => devices.get(id)?.isHealthy),
          free: divideDevices(free, affinity.nodes),
        },
        async (available, include) => {
          if (!plugin.options.getPreferredAllocationAvailable) return [];
          return await plugin.prefer(available, include, count, signal);
        },
      );
      const startMs = clock.monotonicMs();
      const response = await plugin.allocate(ids, signal);
      this.#durations.observe((clock.monotonicMs() - startMs) / 1000, [resource]);
      podDevices.insert({
        ...{ podUid, resource, container: container.name },
        devices: idsByNode(ids, (id) => devices.get(id)?.nodes ?? []),
        response: ContainerAllocateResponse.encode(response),
      });
      onAllocated();
    }
  }

  release(podUid: string): void {
    const { podDevices, onAllocated, logger } = this.#options;
    if (!podDevices.delete(podUid)) return;
    try {
      onAllocated();
    } catch (error) {
      logger.warn("Unable to record that devices are free", { podUid, error: messageOf(error) });
    }
  }

  /**
   * Whether the container has its devices.
   *
   * @throws Error if it has another number of them, or they are unhealthy, or the node has no healthy ones at all
   */
  #hasAll(podUid: string, container: string, resource: string, count: number): boolean {
    const { podDevices, inventory } = this.#options;
    const had = podDevices.ids(podUid, container, resource);
    if (had !== undefined && had.length !== count)
      throw new Error(
        `pod "${podUid}" container "${container}" changed request for resource "${resource}" from ${had.length} to ${count}`,
      );
    if (!inventory.has(resource)) throw new Error(`cannot allocate unregistered device ${resource}`);
    const healthy = new Set(inventory.healthy(resource));
    if (healthy.size === 0) throw noneHealthy(resource);
    if (had === undefined) return false;
    if (!had.every((id) => healthy.has(id)))
      throw new Error(
        `previously allocated devices are no longer healthy; cannot allocate unhealthy devices ${resource}`,
      );
    return true;
  }

  /** Devices of init containers that no other container of the pod has. */
  #reusable(pod: core.Pod, { name }: core.Container, resource: string): readonly string[] {
    const { podDevices } = this.#options;
    const idsOf = (containers: readonly core.Container[] = []) =>
      containers.flatMap((one) => podDevices.ids(pod.metadata.uid ?? "", one.name, resource) ?? []);
    const running = new Set(idsOf(pod.spec.containers.filter((one) => one.name !== name)));
    return [...new Set(idsOf(pod.spec.initContainers))].filter((id) => !running.has(id));
  }

  #hints(
    wanted: ReadonlyMap<string, number>,
    state: (resource: string) => {
      readonly allocated: readonly string[] | undefined;
      readonly reusable: readonly string[];
    },
  ): ResourceHints {
    const { inventory, podDevices, nodes } = this.#options;
    return new Map(
      [...wanted].map(([resource, count]) => {
        const devices = inventory.devices(resource);
        if ([...devices.values()].every((device) => device.nodes.length === 0)) return [resource, undefined] as const;
        const { allocated, reusable } = state(resource);
        if (allocated !== undefined)
          return [
            resource,
            allocated.length === count ? deviceHints(nodes, devices, count, { free: allocated, reusable: [] }) : [],
          ] as const;
        const inUse = podDevices.inUse(resource);
        const free = inventory.healthy(resource).filter((id) => !inUse.has(id));
        return [resource, deviceHints(nodes, devices, count, { free, reusable })] as const;
      }),
    );
  }
}

const noneHealthy = (resource: string): Error =>
  new Error(`no healthy devices present; cannot allocate unhealthy devices ${resource}`);
