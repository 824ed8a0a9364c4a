import type https from "node:https";
import { isIP } from "node:net";
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from "node:tls";
import { core } from "@orchernetes/api";
import { badRequest, isNotFound, serviceUnavailable } from "@orchernetes/apimachinery";
import type { Registry } from "@orchernetes/apiserver";
import type { Dialer } from "@orchernetes/kernel";
import { checkServerName, type Followed } from "@orchernetes/tls";
import type { AddressScope, DestinationResolver } from "../dial/destination-resolver.ts";
import type { Destination } from "../dial/own-listener.ts";
import { httpsAgent } from "../egress/dialled-agents.ts";
import { dialTls, secured } from "../egress/tls-over.ts";
import { NO_ANSWER } from "./agent-advice.ts";
import { type NodeClient, trustsAllOf } from "./node-client.ts";

/** How the server reaches node agents: the `--orchlet-*` flags. */
export interface NodeConnectionOptions {
  /** New connections use changed credentials at once; connections to agents of a removed authority are closed. */
  readonly client: Followed<NodeClient>;
  /** In order of preference. */
  readonly preferredAddressTypes: readonly string[];
  /** `--orchlet-timeout`: limit for connecting and for the response to begin. */
  readonly timeoutMs: number;
  readonly destinations: DestinationResolver;
}

/** Where a node agent listens. */
interface NodeAddress extends Destination {
  /** The address of the node's status, which the agent's certificate must name: an IP address or a DNS name. */
  readonly name: string;
}

/** Connections to node agents, over TLS with the server's own client certificate. */
export interface NodeConnection {
  /**
   * Address of a node's agent: a global unicast address, or a loopback address if agents are authenticated by certificate; never the
   * server's own listener.
   *
   * @throws ApiError BadRequest if there is no such node or connections to its address are not allowed, ServiceUnavailable if it reports none
   */
  locate(nodeName: string, registry: Registry, signal: AbortSignal): Promise<NodeAddress>;
  /**
   * Address of another port of a node, for connections without credentials: always a global unicast address. Undefined if the port is
   * the agent's.
   *
   * @throws ApiError as `locate`
   */
  locatePort(
    nodeName: string,
    port: number,
    ...[registry, signal]: [Registry, AbortSignal]
  ): Promise<NodeAddress | undefined>;
  /** Agent for requests; replaced when the credentials change. */
  readonly agent: https.Agent;
  readonly timeoutMs: number;
  /** Opens connections to other ports of nodes; undefined: they are made directly. */
  readonly dial?: Dialer | undefined;
  /** A separate socket, for upgrades. */
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

const tlsOf = ({ ca, pair }: NodeClient): ConnectionOptions => ({
  ...(ca && { ca: ca.pem }),
  ...(pair && { cert: pair.certPem, key: pair.keyPem }),
  // Without an authority to check against, agents serve self-signed certificates.
  rejectUnauthorized: ca !== undefined,
  checkServerIdentity: checkServerName,
});

const agentOf = (client: NodeClient, dial: Dialer | undefined): https.Agent =>
  httpsAgent(dial, { ...tlsOf(client), keepAlive: true, maxFreeSockets: 8, timeout: 0 });

/** Stops reusing connections; requests in flight continue. */
function retire(agent: https.Agent): void {
  agent.maxFreeSockets = 0;
  for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
}

export function createNodeConnection(options: NodeConnectionOptions): NodeConnection {
  const { timeoutMs, destinations, preferredAddressTypes, client } = options;
  const { dial } = destinations;
  // A node writes its own status, so an address there must either be authenticated as a node or be outside this machine.
  const agentScope: AddressScope = client.current().ca === undefined ? "global" : "authenticated";
  let agent = agentOf(client.current(), dial);
  const streams = new Set<TLSSocket>();
  /** Agents that may still have requests in flight. */
  let retired: readonly https.Agent[] = [];
  client.onChange((now, former) => {
    retire(agent);
    retired = [...retired.filter(({ sockets }) => Object.keys(sockets).length > 0), agent];
    agent = agentOf(now, dial);
    if (trustsAllOf(former.ca, now.ca)) return;
    for (const one of retired) one.destroy();
    for (const socket of streams) socket.destroy(new Error("an authority of node agents is no longer trusted"));
  });
  const found = (nodeName: string, registry: Registry, signal: AbortSignal) =>
    addressOf(nodeName, registry, { preferredAddressTypes, signal });
  return {
    timeoutMs,
    dial,
    get agent() {
      return agent;
    },
    async locate(nodeName, registry, signal) {
      const { host: name, port } = await found(nodeName, registry, signal);
      return { name, ...(await destinations.resolve(name, port, agentScope, `node "${nodeName}"`)) };
    },
    async locatePort(nodeName, port, registry, signal) {
      const { host: name, port: agentPort } = await found(nodeName, registry, signal);
      if (port === agentPort) return undefined;
      return { name, ...(await destinations.resolve(name, port, "global", `node "${nodeName}"`)) };
    },
    async connect(address) {
      const used = client.current();
      const socket = await connectTo(address, tlsOf(used), { dial, timeoutMs });
      if (!trustsAllOf(used.ca, client.current().ca)) {
        socket.destroy();
        throw new Error("an authority of node agents is no longer trusted");
      }
      streams.add(socket);
      socket.once("close", () => streams.delete(socket));
      return socket;
    },
  };
}

/** A connection with TLS, made within a time. @throws Error */
async function connectTo(
  { host, port, name }: NodeAddress,
  tls: ConnectionOptions,
  { dial, timeoutMs }: { readonly dial: Dialer | undefined; readonly timeoutMs: number },
): Promise<TLSSocket> {
  const servername = isIP(name) === 0 ? { servername: name } : {};
  const options = { ...tls, ...servername, ALPNProtocols: ["http/1.1"] };
  const late = new AbortController();
  const deadline = setTimeout(
    () =>
      late.abort(
        Object.assign(new Error(`no answer from ${name}:${port} within ${timeoutMs} ms`), { code: NO_ANSWER }),
      ),
    timeoutMs,
  );
  try {
    if (dial !== undefined) return await dialTls(dial, { host, port }, options, late.signal);
    return await secured(connectTls({ ...options, host, port }), late.signal);
  } finally {
    clearTimeout(deadline);
  }
}
