import type https from "node:https";
import { connect as connectTls, type TLSSocket } from "node:tls";
import type { Dialer } from "@orchernetes/kernel";
import { checkServerName } from "@orchernetes/tls";
import { httpsAgent } from "../egress/dialled-agents.ts";
import { dialTls } from "../egress/tls-over.ts";
import type { RemoteApiService } from "./api-service-table.ts";
import type { Address } from "./service-resolver.ts";

/** The client certificate by which extension servers recognize that they can trust the headers that name the user. */
export interface ProxyClient {
  readonly certPem: string;
  readonly keyPem: string;
}

/** Time limit for opening a connection, in milliseconds. */
const connectTimeoutMs = 30_000;
/** Time in milliseconds after which an unused connection is closed. */
const idleTimeoutMs = 90_000;
/** Maximum size of the head of a response, in bytes. */
const maxHeaderBytes = 64 * 1024;

/** TLS settings of the connections for an APIService. */
interface TlsSettings {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly servername: string;
  readonly rejectUnauthorized: boolean;
}

/** Settings of all connections. Only the alternative names of a certificate count, as upstream. */
const COMMON = Object.freeze({ ALPNProtocols: ["http/1.1"], checkServerIdentity: checkServerName });

/** A pool with the settings that it was created with. */
interface Connections {
  /** The settings of the agent as text. If they change, such as by a renewed certificate, the pool is replaced. */
  readonly key: string;
  readonly agent: https.Agent;
}

/**
 * The connections to extension servers. Each APIService has a pool of its own, with its authorities and the name of its service, so that one
 * APIService cannot use connections that were verified by the authorities of another.
 */
export class ExtensionConnections {
  readonly #pools = new Map<string, Connections>();
  readonly #proxyClient: () => ProxyClient | undefined;
  readonly #dial: Dialer | undefined;

  /**
   * @param proxyClient returns the current client certificate
   * @param dial opens the connections @default directly
   */
  constructor(proxyClient: () => ProxyClient | undefined, dial?: Dialer) {
    this.#proxyClient = proxyClient;
    this.#dial = dial;
  }

  /** Returns the pool of an APIService. */
  agent(remote: RemoteApiService): https.Agent {
    return this.#pool(remote.name, this.#settings(remote)).agent;
  }

  /** Returns a pool for availability checks, which does not verify certificates: only a question is sent, and the response proves nothing. */
  uncheckedAgent(remote: RemoteApiService): https.Agent {
    return this.#pool(`${remote.name} unchecked`, { ...this.#settings(remote), rejectUnauthorized: false }).agent;
  }

  /** A separate connection, for an upgrade. @throws Error */
  connect(remote: RemoteApiService, { host, port }: Address): Promise<TLSSocket> {
    const options = { ...this.#settings(remote), ...COMMON };
    if (this.#dial !== undefined) return dialTls(this.#dial, { host, port }, options);
    return new Promise((resolve, reject) => {
      const socket = connectTls({ ...options, host, port });
      socket.setTimeout(connectTimeoutMs, () => socket.destroy(new Error(connectError({ host, port }))));
      socket.once("error", reject);
      socket.once("secureConnect", () => {
        socket.setTimeout(0);
        socket.off("error", reject);
        resolve(socket);
      });
    });
  }

  /** Closes idle connections of a deleted APIService. */
  forget(name: string): void {
    for (const key of [name, `${name} unchecked`]) {
      this.#pools.get(key)?.agent.destroy();
      this.#pools.delete(key);
    }
  }

  /** Closes everything. */
  close(): void {
    for (const { agent } of this.#pools.values()) agent.destroy();
    this.#pools.clear();
  }

  #settings({ apiService, service }: RemoteApiService): TlsSettings {
    const { caBundle = "", insecureSkipTLSVerify = false } = apiService.spec;
    const client = this.#proxyClient();
    return {
      ...(caBundle === "" ? {} : { ca: Buffer.from(caBundle, "base64").toString("utf8") }),
      ...(client === undefined ? {} : { cert: client.certPem, key: client.keyPem }),
      servername: `${service.name}.${service.namespace}.svc`,
      rejectUnauthorized: !insecureSkipTLSVerify,
    };
  }

  #pool(name: string, settings: TlsSettings): Connections {
    const key = JSON.stringify(settings);
    const known = this.#pools.get(name);
    if (known?.key === key) return known;
    // Connections in use stay until their requests are done.
    if (known !== undefined) retire(known.agent);
    const options = { ...settings, keepAlive: true, maxFreeSockets: 8, timeout: idleTimeoutMs };
    const made = { key, agent: httpsAgent(this.#dial, { ...options, ...COMMON }) };
    this.#pools.set(name, made);
    return made;
  }
}

/** Closes idle connections now and the others as they become idle. */
function retire(agent: https.Agent): void {
  for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
  agent.maxFreeSockets = 0;
}

/** What is said when a server does not take a connection. */
export const connectError = ({ host, port }: Address): string =>
  `${host}:${port} took no connection within ${connectTimeoutMs} ms`;

/** Settings of requests over these connections. */
export const extensionLimits = Object.freeze({ connectTimeoutMs, maxHeaderBytes });
