import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { core } from "@orchernetes/api";
import type { Metrics } from "@orchernetes/component";
import { ensureFolder } from "@orchernetes/host";
import { type Logger, messageOf } from "@orchernetes/kernel";
import { isPathPart } from "../../util/paths.ts";
import type { DeviceInventory } from "./device-inventory.ts";
import { connectDevicePlugin, type DevicePlugin } from "./device-plugin.ts";
import {
  type DevicePluginOptions,
  devicePluginVersion,
  type RegisterRequest,
  type SocketServer,
  serveRegistration,
} from "./device-plugin-api.ts";

/** The agent's socket in the folder of device plugins. */
const socketName = "orchlet.sock";
/** Each resource is an entry of the node's status, which the API server rejects if it is too large. */
const maxResources = 256;

/** The options of {@link DevicePlugins}. */
export interface DevicePluginsOptions {
  /** The folder of the sockets of the agent and the plugins. */
  readonly folder: string;
  /** Name of a file in the folder that stays when the agent starts. */
  readonly checkpoint: string;
  readonly inventory: DeviceInventory;
  /** Called when devices have changed. */
  readonly onChange: () => void;
  readonly metrics: Metrics;
  readonly logger: Logger;
}

/** The plugins that have registered, by resource. */
export class DevicePlugins {
  readonly #options: DevicePluginsOptions;
  readonly #plugins = new Map<string, DevicePlugin>();
  /** The options of the last plugin of each resource, which may have disconnected. */
  readonly #known = new Map<string, DevicePluginOptions>();
  readonly #registrations;
  #server: SocketServer | undefined;
  #isClosed = false;

  constructor(options: DevicePluginsOptions) {
    this.#options = options;
    this.#registrations = options.metrics.counter({
      name: "orchlet_device_plugin_registration_total",
      help: "Cumulative number of device plugin registrations. Broken down by resource name.",
      labelNames: ["resource_name"],
    });
  }

  get(resource: string): DevicePlugin | undefined {
    return this.#plugins.get(resource);
  }

  /** The options of the plugin of a resource, or of the last one if it has disconnected; undefined if there was none. */
  optionsOf(resource: string): DevicePluginOptions | undefined {
    return this.#known.get(resource);
  }

  /**
   * Serves the registration. Sockets of plugins are deleted first: this tells running plugins to register again.
   *
   * @throws Error if the socket cannot be served
   */
  async serve(): Promise<void> {
    const { folder, checkpoint } = this.#options;
    ensureFolder(folder, 0o750);
    for (const entry of await readdir(folder, { withFileTypes: true }))
      if (!entry.isDirectory() && entry.name !== checkpoint) await rm(join(folder, entry.name), { force: true });
    this.#server = await serveRegistration(join(folder, socketName), (request) => this.#register(request));
    if (this.#isClosed) await this.close();
  }

  /**
   * Adds a plugin, and replaces one that serves the same resource.
   *
   * @throws RpcError if it does not answer
   */
  async add(resource: string, socketPath: string): Promise<void> {
    const { logger, inventory, onChange } = this.#options;
    checkCount(resource, inventory);
    this.#registrations.inc([resource]);
    const plugin = await connectDevicePlugin(socketPath, resource, logger);
    // Others may have registered while the plugin was asked.
    if (this.#isClosed || isFull(resource, inventory)) return plugin.close();
    this.#plugins.get(resource)?.close();
    this.#plugins.set(resource, plugin);
    this.#known.set(resource, plugin.options);
    inventory.register(resource);
    logger.info("Registered a device plugin", { resource, socketPath });
    void plugin
      .follow((devices) => {
        if (this.#plugins.get(resource) !== plugin) return;
        inventory.set(resource, devices);
        onChange();
      })
      .then(() => this.#ended(plugin));
  }

  /** The plugin of a resource has disconnected. */
  remove(resource: string): void {
    const plugin = this.#plugins.get(resource);
    plugin?.close();
    if (plugin !== undefined) this.#ended(plugin);
  }

  /** Ends all connections. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const plugin of this.#plugins.values()) plugin.close();
    this.#plugins.clear();
    await this.#server?.close();
  }

  #ended(plugin: DevicePlugin): void {
    const { resource } = plugin;
    if (this.#isClosed || this.#plugins.get(resource) !== plugin) return;
    plugin.close();
    this.#plugins.delete(resource);
    this.#options.inventory.gone(resource);
    this.#options.onChange();
  }

  /** The options of the request are ignored: as in the original, the plugin is asked, which also shows that it responds. */
  #register({ version, endpoint, resourceName }: RegisterRequest): void {
    const { folder, logger } = this.#options;
    if (version !== devicePluginVersion)
      throw new Error(
        `requested API version ${quote(version)} is not supported by orchlet. Supported version is ${quote(devicePluginVersion)}`,
      );
    checkResourceName(resourceName);
    checkCount(resourceName, this.#options.inventory);
    if (!isPathPart(endpoint))
      throw new Error(`the endpoint ${quote(endpoint)} is invalid; want the name of a socket in ${folder}`);
    // Some plugins serve calls only after they have received the response.
    void this.add(resourceName, join(folder, endpoint)).catch((error: unknown) =>
      logger.warn("Unable to connect to a device plugin", {
        resource: resourceName,
        endpoint,
        error: messageOf(error),
      }),
    );
  }
}

/** Checks the name of a plugin's resource. @throws Error unless it is that of an extended resource */
export function checkResourceName(name: string): void {
  if (name.length > 317 || !/^[a-z0-9.-]{1,253}\/[A-Za-z0-9._-]{1,63}$/.test(name) || !core.isExtendedResource(name))
    throw new Error(`the ResourceName ${quote(name)} is invalid`);
}

const isFull = (resource: string, inventory: DeviceInventory): boolean =>
  !inventory.has(resource) && inventory.size >= maxResources;

/** @throws Error if the node has too many resources of plugins to have another */
function checkCount(resource: string, inventory: DeviceInventory): void {
  if (isFull(resource, inventory))
    throw new Error(`the node has ${inventory.size} resources of device plugins; want at most ${maxResources}`);
}

const quote = (text: string): string => JSON.stringify(text.slice(0, 256));
