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
  /** Whether the certificate of the service is not verified. @default false */
  readonly insecure?: boolean;
}

/** How a review client connects. */
export interface ReviewConnectionOptions {
  /** Material that changes, such as files that are renewed; a new object makes new connections. */
  readonly tls?: () => ReviewTls;
  /** Opens the connections, such as through a proxy. @default directly */
  readonly dial?: Dialer;
  /** Authorities of the service's certificate, PEM. @default those of `tls`, else those of the host */
  readonly caBundle?: string;
  /** The client certificate of this server. @default that of `tls` */
  readonly clientCertificate?: { readonly certPem: string; readonly keyPem: string } | undefined;
  /** Maximum number of connections. Further requests wait for one, within their time limits. @default 64 */
  readonly maxConnections?: number;
}

/** The pool of connections, which is replaced when the TLS material changes. */
export interface ReviewAgents {
  /** Returns the current pool; undefined means the pool of the process. */
  current(): http.Agent | undefined;
  close(): void;
}

const MAX_CONNECTIONS = 64;
/** Time in milliseconds after which an unused connection is closed, as upstream. */
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
    // TLS cannot request the certificate of an address (RFC 6066 §3).
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
