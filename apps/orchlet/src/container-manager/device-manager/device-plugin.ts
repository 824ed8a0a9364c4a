import { type Logger, messageOf } from "@orchernetes/kernel";
import {
  type ContainerAllocateResponse,
  type DevicePluginOptions,
  openDevicePlugin,
  type PluginDevice,
} from "./device-plugin-api.ts";

/** Limit of one call to a plugin, in milliseconds. */
const callMs = 30_000;
/** As long as the original waits for the connection to a plugin. */
const connectMs = 10_000;
/** More devices than any machine has. */
const maxDevices = 100_000;

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

/**
 * Connects to a plugin.
 *
 * @param options undefined: the plugin is asked
 * @throws RpcError if the plugin does not answer
 */
export async function connectDevicePlugin(
  socketPath: string,
  resource: string,
  options: DevicePluginOptions | undefined,
  logger: Logger,
): Promise<DevicePlugin> {
  const { calls, close } = openDevicePlugin(socketPath, callMs);
  const closed = new AbortController();
  let known: DevicePluginOptions;
  try {
    // The call also shows that the plugin responds; some plugins respond only with an error.
    known = options ?? (await calls.getDevicePluginOptions({}, { timeoutMs: connectMs }));
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
      return response;
    },
    async prefer(available, include, size, signal) {
      const { containerResponses } = await calls.getPreferredAllocation(
        {
          containerRequests: [{ availableDeviceIds: available, mustIncludeDeviceIds: include, allocationSize: size }],
        },
        { signal },
      );
      return containerResponses[0]?.deviceIds ?? [];
    },
    async preStart(ids, signal) {
      await calls.preStartContainer({ deviceIds: ids }, { signal });
    },
    async follow(onDevices) {
      try {
        for await (const { devices } of calls.listAndWatch(
          {},
          { timeoutMs: Number.POSITIVE_INFINITY, signal: closed.signal },
        )) {
          if (closed.signal.aborted) return;
          if (devices.length > maxDevices)
            throw new Error(`found ${devices.length} devices; want at most ${maxDevices}`);
          onDevices(devices);
        }
        logger.info("A device plugin has ended its list of devices", { resource });
      } catch (error) {
        if (!closed.signal.aborted)
          logger.warn("The connection to a device plugin has ended", { resource, error: messageOf(error) });
      }
    },
    close() {
      closed.abort();
      close();
    },
  };
}
