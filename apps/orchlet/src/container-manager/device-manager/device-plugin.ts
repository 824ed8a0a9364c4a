import { type Logger, messageOf } from "@orchernetes/kernel";
import {
  ContainerAllocateResponse,
  type DevicePluginOptions,
  openDevicePlugin,
  type PluginDevice,
} from "./device-plugin-api.ts";

/** Limit of one call to a plugin, in milliseconds. */
const callMs = 30_000;
/** The kubelet waits for the connection to a plugin for the same time. */
const connectMs = 10_000;
/** More devices than any machine has. */
const maxDevices = 100_000;
/** Limit of the ids of all devices together, in characters: they are in the checkpoint of all plugins. */
const maxIdLength = 2 * 1024 * 1024;
/** NUMA nodes that a device may belong to. */
const maxNodes = 64;
/** Limit of what a container gets with its devices, in bytes: it is in the checkpoint, too. */
const maxResponseBytes = 256 * 1024;

/** A plugin that serves the devices of one resource. */
export interface DevicePlugin {
  readonly resource: string;
  readonly options: DevicePluginOptions;
  /** @throws RpcError */
  allocate(ids: readonly string[], signal: AbortSignal): Promise<ContainerAllocateResponse>;
  /** @throws RpcError */
  prefer(
    available: readonly string[],
    include: readonly string[],
    size: number,
    signal: AbortSignal,
  ): Promise<readonly string[]>;
  /** @throws RpcError */
  preStart(ids: readonly string[], signal: AbortSignal): Promise<void>;
  /** Follows the plugin's list of devices until it ends or the plugin is closed. Never rejects. */
  follow(onDevices: (devices: readonly PluginDevice[]) => void): Promise<void>;
  close(): void;
}

/** Handles the error of a call in the words of the original. */
const failed =
  (call: string) =>
  (error: unknown): never => {
    throw new Error(`device plugin ${call} rpc failed with err: ${messageOf(error)}`, { cause: error });
  };

/** @throws Error for a list that is too large */
function checkDevices(devices: readonly PluginDevice[]): void {
  if (devices.length > maxDevices) throw new Error(`found ${devices.length} devices; want at most ${maxDevices}`);
  const length = devices.reduce((sum, { id }) => sum + id.length, 0);
  if (length > maxIdLength)
    throw new Error(`found ids of devices with ${length} characters; want at most ${maxIdLength}`);
  if (devices.some(({ topology }) => (topology?.nodes.length ?? 0) > maxNodes))
    throw new Error(`found a device with more NUMA nodes than ${maxNodes}`);
}

/**
 * Connects to a plugin, and asks for its options.
 *
 * @throws RpcError if the plugin does not answer
 */
export async function connectDevicePlugin(socketPath: string, resource: string, logger: Logger): Promise<DevicePlugin> {
  const { calls, close } = openDevicePlugin(socketPath, callMs);
  const closed = new AbortController();
  let known: DevicePluginOptions;
  try {
    known = await calls.getDevicePluginOptions({}, { timeoutMs: connectMs });
  } catch (error) {
    close();
    throw error;
  }
  return {
    resource,
    options: known,
    async allocate(ids, signal) {
      const { containerResponses } = await calls.allocate({ containerRequests: [{ deviceIds: ids }] }, { signal });
      const [response] = containerResponses;
      if (response === undefined) throw new Error("no containers return in allocation response");
      const { length } = ContainerAllocateResponse.encode(response);
      if (length > maxResponseBytes)
        throw new Error(`the allocation response has ${length} bytes; want at most ${maxResponseBytes}`);
      return response;
    },
    async prefer(available, include, size, signal) {
      const request = { availableDeviceIds: available, mustIncludeDeviceIds: include, allocationSize: size };
      const { containerResponses } = await calls
        .getPreferredAllocation({ containerRequests: [request] }, { signal })
        .catch(failed("GetPreferredAllocation"));
      return containerResponses[0]?.deviceIds ?? [];
    },
    async preStart(ids, signal) {
      await calls.preStartContainer({ deviceIds: ids }, { signal }).catch(failed("PreStartContainer"));
    },
    async follow(onDevices) {
      try {
        for await (const { devices } of calls.listAndWatch(
          {},
          { timeoutMs: Number.POSITIVE_INFINITY, signal: closed.signal },
        )) {
          if (closed.signal.aborted) return;
          checkDevices(devices);
          onDevices(devices);
        }
        logger.info("A device plugin closed its list of devices", { resource });
      } catch (error) {
        if (!closed.signal.aborted)
          logger.warn("Lost the connection to a device plugin", { resource, error: messageOf(error) });
      }
    },
    close() {
      closed.abort();
      close();
    },
  };
}
