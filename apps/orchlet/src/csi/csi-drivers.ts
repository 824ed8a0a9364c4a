import { type CsiClient, createCsiClient, type PluginInfo } from "@orchernetes/csi";
import type { Logger } from "@orchernetes/kernel";
import type { PluginHandler } from "../plugin-registry/plugin-registry.ts";
import type { CsiNodeWriter } from "./csi-node.ts";

/** What the node service of a driver can do, such as `STAGE_UNSTAGE_VOLUME`. */
export type NodeCapabilities = ReadonlySet<string>;

/** A driver that is registered on this node. */
export interface CsiDriver {
  readonly name: string;
  readonly client: CsiClient;
  /** Asked once for each registration. @throws RpcError */
  capabilities(): Promise<NodeCapabilities>;
}

/** The drivers of this node. */
export interface CsiDrivers {
  /** @throws Error if no driver of the name is registered now */
  get(name: string): CsiDriver;
  /** Registers drivers. */
  readonly handler: PluginHandler;
  close(): void;
}

/** Limit of NodeGetInfo in milliseconds. */
const infoMs = 30_000;

/** Creates the list of drivers, which the plugin registry fills. */
export function createCsiDrivers(options: { readonly node: CsiNodeWriter; readonly logger: Logger }): CsiDrivers {
  const { node, logger } = options;
  const drivers = new Map<string, CsiDriver>();
  const drop = (name: string): void => {
    drivers.get(name)?.client.close();
    drivers.delete(name);
  };
  return {
    get(name) {
      const driver = drivers.get(name);
      if (driver === undefined) throw new Error(`driver name ${name} not found in the list of registered CSI drivers`);
      return driver;
    },
    handler: {
      validate: validateDriver,
      async register({ name, endpoint }, signal) {
        const client = createCsiClient(endpoint, { logger });
        try {
          const info = await client.node.nodeGetInfo({}, { timeoutMs: infoMs, signal });
          await node.add(name, info, signal);
        } catch (error) {
          client.close();
          throw error;
        }
        drop(name);
        drivers.set(name, { name, client, capabilities: capabilitiesOf(client) });
      },
      async deregister(name) {
        drop(name);
        await node.remove(name);
      },
    },
    close: () => [...drivers.keys()].forEach(drop),
  };
}

/** Names of drivers are DNS labels joined by dots, of 63 characters at most. Source: the specification of CSI. */
const driverName = /^[a-zA-Z0-9]([-a-zA-Z0-9.]{0,61}[a-zA-Z0-9])?$/;

/** @throws Error for a name that is none, an endpoint that is not a socket, or no version 1 */
function validateDriver({ name, endpoint, supportedVersions }: PluginInfo): void {
  if (!driverName.test(name))
    throw new Error(
      `invalid name of a CSI driver ${JSON.stringify(name.slice(0, 128))}: want at most 63 letters, digits, "-" and "."`,
    );
  if (!endpoint.startsWith("/") && !endpoint.startsWith("unix:"))
    throw new Error(
      `invalid endpoint ${JSON.stringify(endpoint.slice(0, 256))} of CSI driver ${name}: want the path of a unix socket`,
    );
  if (supportedVersions.length === 0) throw new Error(`CSI driver ${name} reports no versions; want 1.x`);
  if (!supportedVersions.some((version) => /^v?1(\.\d+){0,2}$/.test(version)))
    throw new Error(
      `none of the CSI versions reported by driver ${name} are supported: found ${supportedVersions.slice(0, 8).join(", ")}; want 1.x`,
    );
}

/** Asks for the capabilities once; a failed question is asked again. */
function capabilitiesOf({ node }: CsiClient): () => Promise<NodeCapabilities> {
  let asked: Promise<NodeCapabilities> | undefined;
  return () => {
    asked ??= node.nodeGetCapabilities({}).then(
      ({ capabilities }) => new Set(capabilities.flatMap(({ rpc }) => rpc?.type ?? [])),
      (error: unknown) => {
        asked = undefined;
        throw error;
      },
    );
    return asked;
  };
}
