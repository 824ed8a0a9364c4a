import https from "node:https";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { core } from "@orchernetes/api";
import { badRequest, isNotFound, serviceUnavailable } from "@orchernetes/apimachinery";
import type { Registry } from "@orchernetes/apiserver";

/** How the server reaches node agents: the `--orchlet-*` flags. */
export interface NodeConnectionOptions {
  readonly caPem?: string;
  readonly certPem?: string;
  readonly keyPem?: string;
  /** In order of preference. */
  readonly preferredAddressTypes: readonly string[];
  /** For connecting and for the first byte of an answer. */
  readonly timeoutMs: number;
}

/** Where a node agent listens. */
export interface NodeAddress {
  readonly host: string;
  readonly port: number;
}

/** Connections to node agents, over TLS with the server's own client certificate. */
export interface NodeConnection {
  /** Address of a node's agent. @throws ApiError NotFound, or ServiceUnavailable if the node tells no address */
  locate(nodeName: string, registry: Registry, signal: AbortSignal): Promise<NodeAddress>;
  readonly agent: https.Agent;
  readonly timeoutMs: number;
  /** A socket of its own, for upgrades. */
  connect(address: NodeAddress): Promise<TLSSocket>;
}

const DEFAULT_PORT = 10250;

export function createNodeConnection(options: NodeConnectionOptions): NodeConnection {
  const tls = {
    ...(options.caPem && { ca: options.caPem }),
    ...(options.certPem && { cert: options.certPem }),
    ...(options.keyPem && { key: options.keyPem }),
    // Without an authority to check against, agents serve self-signed certificates.
    rejectUnauthorized: options.caPem !== undefined,
  };
  const { timeoutMs } = options;
  return {
    timeoutMs,
    agent: new https.Agent({ ...tls, keepAlive: true, maxFreeSockets: 8, timeout: 0 }),
    async locate(nodeName, registry, signal) {
      let node: core.Node;
      try {
        node = await registry.forDefinition(core.nodes).get({ namespace: "", name: nodeName }, { signal });
      } catch (error) {
        if (isNotFound(error)) throw badRequest(`node "${nodeName}" not found`);
        throw error;
      }
      const addresses = node.status.addresses ?? [];
      for (const type of options.preferredAddressTypes) {
        const address = addresses.find((a) => a.type === type);
        if (address !== undefined)
          return { host: address.address, port: node.status.daemonEndpoints?.orchletEndpoint?.Port || DEFAULT_PORT };
      }
      throw serviceUnavailable(`no preferred addresses found; known addresses: ${JSON.stringify(addresses)}`);
    },
    connect: ({ host, port }) =>
      new Promise((resolve, reject) => {
        const socket = connectTls({ ...tls, host, port, ALPNProtocols: ["http/1.1"], timeout: timeoutMs });
        socket.once("secureConnect", () => {
          socket.setTimeout(0);
          resolve(socket);
        });
        socket.once("timeout", () =>
          socket.destroy(new Error(`no answer from ${host}:${port} within ${timeoutMs} ms`)),
        );
        socket.once("error", reject);
      }),
  };
}
