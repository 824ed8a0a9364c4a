import type http from "node:http";
import type { AgentOptions } from "node:https";
import { isIP } from "node:net";
import type { Dialer } from "@orchernetes/kernel";
import { checkServerName } from "@orchernetes/tls";
import { httpAgent, httpsAgent } from "../egress/dialled-agents.ts";

/** The TLS material of a review client, PEM. */
interface ReviewTls {
  /** Authorities of the service's certificate. @default those of the host */
  readonly ca?: string | Buffer;
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
  /** Name to check the service's certificate against. @default the host of the address */
  readonly serverName?: string;
  /** The service's certificate is not checked. @default false */
  readonly insecure?: boolean;
}

/** How the connections of a review client are made. */
export interface ReviewConnectionOptions {
  /** Material that changes, such as files that are renewed; a new object makes new connections. */
  readonly tls?: () => ReviewTls;
  /** Opens the connections, such as through a proxy. @default directly */
  readonly dial?: Dialer;
  /** Authorities of the service's certificate, PEM. @default those of `tls`, else those of the host */
  readonly caBundle?: string;
  /** How the server shows itself. @default that of `tls` */
  readonly clientCertificate?: { readonly certPem: string; readonly keyPem: string } | undefined;
  /** Connections at the same time; further requests wait for one within their own time. @default 64 */
  readonly maxConnections?: number;
}

/** The pool of connections for the material now in use. */
export interface ReviewAgents {
  /** Undefined: that of the process. */
  current(): http.Agent | undefined;
  close(): void;
}

const MAX_CONNECTIONS = 64;
/** Connections that were not used for this long are closed. */
const IDLE_MS = 90_000;
const NONE: ReviewTls = Object.freeze({});

/** The connections to the service at a URL. Its certificate must have the name among its alternative names, as upstream. */
export function createReviewAgents(options: ReviewConnectionOptions, url: URL): ReviewAgents {
  const { tls, dial, maxConnections = MAX_CONNECTIONS } = options;
  if (url.protocol !== "https:") {
    // Without a dialer the agent of the process is used.
    const agent = httpAgent(dial, { maxSockets: maxConnections });
    return { current: () => agent, close: () => agent?.destroy() };
  }
  let known: { readonly material: ReviewTls; readonly agent: http.Agent } | undefined;
  return {
    current() {
      const material = tls?.() ?? NONE;
      if (known?.material === material) return known.agent;
      if (known !== undefined) retire(known.agent);
      const agent = httpsAgent(dial, tlsOptions(options, material, url, maxConnections));
      known = { material, agent };
      return agent;
    },
    close() {
      known?.agent.destroy();
      known = undefined;
    },
  };
}

function tlsOptions(
  { caBundle, clientCertificate }: ReviewConnectionOptions,
  material: ReviewTls,
  url: URL,
  maxConnections: number,
): AgentOptions {
  const ca = caBundle ?? material.ca;
  const cert = clientCertificate?.certPem ?? material.cert;
  const key = clientCertificate?.keyPem ?? material.key;
  const name = material.serverName ?? url.hostname.replace(/^\[|\]$/g, "");
  return {
    keepAlive: true,
    scheduling: "lifo",
    maxSockets: maxConnections,
    maxFreeSockets: maxConnections,
    timeout: IDLE_MS,
    minVersion: "TLSv1.2",
    ALPNProtocols: ["http/1.1"],
    rejectUnauthorized: material.insecure !== true,
    // An address is no name that TLS could ask for.
    ...(isIP(name) === 0 && { servername: name }),
    checkServerIdentity: (_, certificate) => checkServerName(name, certificate),
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
  };
}

/** Closes idle connections now and the others as they become idle. */
function retire(agent: http.Agent): void {
  for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
  agent.maxFreeSockets = 0;
}
