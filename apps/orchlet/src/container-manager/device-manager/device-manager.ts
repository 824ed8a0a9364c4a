import { join } from "node:path";
import type { core } from "@orchernetes/api";
import type { Metrics } from "@orchernetes/component";
import { type Clock, type Logger, messageOf } from "@orchernetes/kernel";
import { PacedJob } from "../../util/paced-job.ts";
import type { HintProvider } from "../topology-manager/hint.ts";
import { DeviceAllocator } from "./device-allocator.ts";
import { readDeviceCheckpoint, writeDeviceCheckpoint } from "./device-checkpoint.ts";
import { type Device, type DeviceAmounts, DeviceInventory } from "./device-inventory.ts";
import { combineResponses, type DeviceOptions, noDeviceOptions } from "./device-options.ts";
import { DevicePlugins } from "./device-plugins.ts";
import { idsOf, PodDevices, responseOf } from "./pod-devices.ts";

const checkpointName = "orchlet_internal_checkpoint";
/**
 * Minimum time between two reports of changed devices, in milliseconds: each one writes the checkpoint, which waits for the disk, and the
 * node's status.
 */
const reportMs = 500;

/** Devices of one resource on one NUMA node. */
interface DeviceGroup {
  readonly resource: string;
  readonly ids: readonly string[];
  /** Undefined for devices that belong to no node. */
  readonly node: number | undefined;
}

/** The devices that plugins offer, and the containers that have them. */
export interface DeviceManager {
  readonly provider: HintProvider;
  /** The resources for the node's status. */
  amounts(): DeviceAmounts;
  /** Number of devices of each resource that containers have. */
  inUse(): Readonly<Record<string, number>>;
  /** Uids of the pods that have devices. */
  pods(): readonly string[];
  /** Whether the container lacks devices that it must have before it starts. */
  lacks(pod: core.Pod, container: core.Container): boolean;
  /**
   * What a container gets with its devices. Calls `PreStartContainer` of the plugins that require it.
   *
   * @throws Error if a plugin rejects the call, or has disconnected before it or too long ago
   */
  prepareStart(pod: core.Pod, container: core.Container, signal: AbortSignal): Promise<DeviceOptions>;
  /** The devices of a container. */
  devicesOf(podUid: string, container: string): readonly DeviceGroup[];
  /** The devices that can be allocated. */
  allocatable(): readonly DeviceGroup[];
  /** Calls the listener when devices appear, disappear, or change their health: at most twice a second. */
  onChange(listener: () => void): void;
  /** Adds a plugin that has registered through the plugin registry. @throws Error */
  addPlugin(resource: string, socketPath: string): Promise<void>;
  removePlugin(resource: string): void;
  /** Serves the registration of plugins until the agent stops. Never rejects. */
  run(signal: AbortSignal): Promise<void>;
}

/** The options of the device manager. */
export interface DeviceManagerOptions {
  /** The folder of the sockets and the checkpoint. */
  readonly folder: string;
  /** NUMA nodes of the machine. */
  readonly nodes: readonly number[];
  readonly metrics: Metrics;
  readonly clock: Pick<Clock, "monotonicMs" | "setTimeout">;
  readonly logger: Logger;
}

/** Creates the manager, and reads its checkpoint. A damaged one is logged and replaced. */
export function createDeviceManager(options: DeviceManagerOptions): DeviceManager {
  const { folder, nodes, metrics, clock, logger } = options;
  const path = join(folder, checkpointName);
  const { entries, registered } = readCheckpoint(path, logger);
  const podDevices = new PodDevices(entries);
  const inventory = new DeviceInventory(clock, Object.keys(registered));
  const listeners: (() => void)[] = [];
  const save = (): void =>
    writeDeviceCheckpoint(path, {
      entries: podDevices.entries(),
      registered: Object.fromEntries(
        inventory.resources.map((resource) => [resource, inventory.healthy(resource)] as const),
      ),
    });
  const report = (): void => {
    try {
      save();
    } catch (error) {
      logger.warn("Unable to write the checkpoint of devices", { error: messageOf(error) });
    }
    for (const listener of listeners) listener();
  };
  const reports = new PacedJob(report, { intervalMs: reportMs, clock });
  const plugins = new DevicePlugins({
    ...{ folder, inventory, metrics, logger, checkpoint: checkpointName },
    onChange: () => reports.request(),
  });
  const provider = new DeviceAllocator({
    ...{ inventory, plugins, podDevices, nodes, metrics, clock, logger, onAllocated: save },
  });
  return {
    provider,
    amounts: () => inventory.amounts(),
    inUse: () => Object.fromEntries(inventory.resources.map((resource) => [resource, podDevices.inUse(resource).size])),
    pods: () => podDevices.pods(),
    lacks: (pod, container) =>
      [...provider.wanted(container).keys()].some(
        (resource) => podDevices.ids(pod.metadata.uid ?? "", container.name, resource) === undefined,
      ),
    async prepareStart(pod, { name }, signal) {
      const ofContainer = [...podDevices.of(pod.metadata.uid ?? "", name)];
      if (ofContainer.length === 0) return noDeviceOptions;
      for (const [resource, entry] of ofContainer) {
        if (!inventory.has(resource))
          throw new Error(`endpoint not found in cache for a registered resource: ${resource}`);
        if (plugins.optionsOf(resource)?.preStartRequired !== true) continue;
        const plugin = plugins.get(resource);
        if (plugin === undefined)
          throw new Error(`device plugin PreStartContainer rpc failed with err: endpoint ${resource} has been stopped`);
        await plugin.preStart(idsOf(entry), signal);
      }
      return combineResponses(ofContainer.map(([, entry]) => responseOf(entry)));
    },
    devicesOf: (podUid, container) =>
      [...podDevices.of(podUid, container)].flatMap(([resource, { devices }]) =>
        Object.entries(devices).map(([node, ids]) => ({ resource, ids, node: nodeOf(node) })),
      ),
    allocatable: () =>
      inventory.resources.flatMap((resource) =>
        groupsOf(
          resource,
          [...inventory.devices(resource).values()].filter(({ isHealthy }) => isHealthy),
        ),
      ),
    onChange: (listener) => void listeners.push(listener),
    addPlugin: (resource, socketPath) => plugins.add(resource, socketPath),
    removePlugin: (resource) => plugins.remove(resource),
    async run(signal) {
      const close = async (): Promise<void> => {
        reports.flush();
        await plugins.close();
      };
      signal.addEventListener("abort", () => void close(), { once: true });
      try {
        await plugins.serve();
      } catch (error) {
        logger.error(error, "Unable to serve the registration of device plugins", { folder });
      }
      if (signal.aborted) await close();
    },
  };
}

function readCheckpoint(path: string, logger: Logger): ReturnType<typeof readDeviceCheckpoint> {
  try {
    return readDeviceCheckpoint(path);
  } catch (error) {
    logger.error(error, "Continuing without the checkpoint of devices", { path });
    return { entries: [], registered: {} };
  }
}

const nodeOf = (text: string): number | undefined => (Number(text) < 0 ? undefined : Number(text));

/** Devices grouped by the first of their NUMA nodes. */
function groupsOf(resource: string, devices: readonly Device[]): readonly DeviceGroup[] {
  const groups = new Map<number | undefined, string[]>();
  for (const { id, nodes } of devices) {
    const group = groups.get(nodes[0]) ?? [];
    group.push(id);
    groups.set(nodes[0], group);
  }
  return [...groups].map(([node, ids]) => ({ resource, ids, node }));
}
