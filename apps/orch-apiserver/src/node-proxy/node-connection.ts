import https from "node:https";
import { isIP } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { core } from "@orchernetes/api";
import { badRequest, isNotFound, serviceUnavailable } from "@orchernetes/apimachinery";
import type { Registry } from "@orchernetes/apiserver";
import type { AddressScope, Dialler } from "../dial/dialler.ts";
import type { Destination } from "../dial/own-listener.ts";

/** How the server reaches node agents: the `--orchlet-*` flags. */
export interface NodeConnectionOptions {
  readonly caPem?: string;
  readonly certPem?: string;
  readonly keyPem?: string;
  /** In order of preference. */
  readonly preferredAddressTypes: readonly string[];
  /** `--orchlet-timeout`: for connecting and for the beginning of an answer. */
  readonly timeoutMs: number;
  readonly dialler: Dialler;
}

/** Where a node agent listens. */
export interface NodeAddress extends Destination {
  /** The address of the node's status, which the agent's certificate must name: an IP address or a DNS name. */
  readonly name: string;
}

/** Connections to node agents, over TLS with the server's own client certificate. */
export interface NodeConnection {
  /**
   * Address of a node's agent. It is a global unicast address, or, where agents prove by certificate who they are, one of this
   * machine; it is never the server's own.
   *
   * @throws ApiError BadRequest if there is no such node or its address may not be dialled, ServiceUnavailable if it reports none
   */
  locate(nodeName: string, registry: Registry, signal: AbortSignal): Promise<NodeAddress>;
  /**
   * Address of another port of a node, for connections without credentials: always a global unicast one. Undefined: the port is
   * the agent's.
   *
   * @throws ApiError as `locate`
   */
  locatePort(
    nodeName: string,
    port: number,
    ...[registry, signal]: [Registry, AbortSignal]
  ): Promise<NodeAddress | undefined>;
  readonly agent: https.Agent;
  readonly timeoutMs: number;
  /** A socket of its own, for upgrades. */
  connect(address: NodeAddress): Promise<TLSSocket>;
}

const DEFAULT_PORT = 10250;

/** The node's preferred address and the port of its agent. */
async function addressOf(
  nodeName: string,
  registry: Registry,
  {
    preferredAddressTypes,
    signal,
  }: { readonly preferredAddressTypes: readonly string[]; readonly signal: AbortSignal },
): Promise<Destination> {
  let node: core.Node;
  try {
    node = await registry.forDefinition(core.nodes).get({ namespace: "", name: nodeName }, { signal });
  } catch (error) {
    if (isNotFound(error)) throw badRequest(`node "${nodeName}" not found`);
    throw error;
  }
  const addresses = node.status.addresses ?? [];
  for (const type of preferredAddressTypes) {
    const address = addresses.find((a) => a.type === type);
    if (address !== undefined)
      return { host: address.address, port: node.status.daemonEndpoints?.orchletEndpoint?.Port || DEFAULT_PORT };
  }
  throw serviceUnavailable(`no preferred addresses found; known addresses: ${JSON.stringify(addresses)}`);
}

export function createNodeConnection(options: NodeConnectionOptions): NodeConnection {
  const { timeoutMs, dialler, preferredAddressTypes } = options;
  const tls = {
    ...(options.caPem && { ca: options.caPem }),
    ...(options.certPem && { cert: options.certPem }),
    ...(options.keyPem && { key: options.keyPem }),
    // Without an authority to check against, agents serve self-signed certificates.
    rejectUnauthorized: options.caPem !== undefined,
  };
  // A node writes its own status. Whatever it names there has to prove that it is a node, or to be no part of this machine.
  const agentScope: AddressScope = options.caPem === undefined ? "global" : "authenticated";
  const found = (nodeName: string, registry: Registry, signal: AbortSignal) =>
    addressOf(nodeName, registry, { preferredAddressTypes, signal });
  return {
    timeoutMs,
    agent: new https.Agent({ ...tls, keepAlive: true, maxFreeSockets: 8, timeout: 0 }),
    async locate(nodeName, registry, signal) {
      const { host: name, port } = await found(nodeName, registry, signal);
      return { name, ...(await dialler.destination(name, port, agentScope, `node "${nodeName}"`)) };
    },
    async locatePort(nodeName, port, registry, signal) {
      const { host: name, port: agentPort } = await found(nodeName, registry, signal);
      if (port === agentPort) return undefined;
      return { name, ...(await dialler.destination(name, port, "global", `node "${nodeName}"`)) };
    },
    connect: ({ host, port, name }) =>
      new Promise((resolve, reject) => {
        const servername = isIP(name) === 0 ? { servername: name } : {};
        const socket = connectTls({ ...tls, ...servername, host, port, ALPNProtocols: ["http/1.1"] });
        const late = () => socket.destroy(new Error(`no answer from ${name}:${port} within ${timeoutMs} ms`));
        const deadline = setTimeout(late, timeoutMs);
        socket.once("close", () => clearTimeout(deadline));
        socket.once("secureConnect", () => {
          clearTimeout(deadline);
          resolve(socket);
        });
        socket.once("error", reject);
      }),
  };
}
