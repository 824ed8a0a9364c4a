import type http from "node:http";
import type { AgentOptions } from "node:https";
import { isIP } from "node:net";
import { checkServerIdentity } from "node:tls";
import type { Clock, Dialer } from "@orchernetes/kernel";
import { httpAgent, httpsAgent } from "../egress/dialled-agents.ts";
import { exchange } from "./exchange.ts";
import { JsonText } from "./json-text.ts";
import { mayPass, ReviewError } from "./review-error.ts";

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

/** Attempts after the first one, with delays that grow. */
export interface ReviewRetry {
  /** All attempts, the first included. */
  readonly attempts: number;
  readonly initialMs: number;
  readonly factor: number;
  /** Each delay is up to this part longer. */
  readonly jitter: number;
}

/** The retries of reviews on which a request waits: after 0.5, 0.75, 1.1 and 1.7 seconds. */
export const reviewRetry: ReviewRetry = Object.freeze({ attempts: 5, initialMs: 500, factor: 1.5, jitter: 0.2 });

/** Where a service is, and how it is spoken to. */
export interface ReviewEndpoint {
  /** `https://host:port/path`; `http://` is for services of the same host. */
  readonly endpoint: string;
  /** Material that changes, such as files that are renewed; a new object makes new connections. */
  readonly tls?: () => ReviewTls;
  /** Bearer token; called for each request. */
  readonly token?: string | (() => string | undefined);
  readonly basicAuth?: { readonly username: string; readonly password: string };
  /** Opens the connections, such as through a proxy. @default directly */
  readonly dial?: Dialer;
}

/** Options of {@link createReviewClient}. */
export interface ReviewClientOptions extends ReviewEndpoint {
  /** Authorities of the service's certificate, PEM. @default those of `tls`, else those of the host */
  readonly caBundle?: string;
  /** How the server shows itself. @default that of `tls` */
  readonly clientCertificate?: { readonly certPem: string; readonly keyPem: string } | undefined;
  /** Where the connection goes, if not to the endpoint's host: the address of a service. The certificate is that of the endpoint's host. */
  readonly address?: (signal: AbortSignal) => Promise<{ readonly host: string; readonly port: number }>;
  /** Time for a review with all its attempts, in milliseconds. */
  readonly timeoutMs: number;
  /** @default one attempt */
  readonly retry?: ReviewRetry;
  /** Longest answer, in bytes. @default 3 MiB */
  readonly maxBytes?: number;
  /** Connections at the same time; further requests wait for one within their own time. @default 64 */
  readonly maxConnections?: number;
  /** Called after each attempt: the HTTP status, or 0 without an answer, and the time it took. */
  readonly onAttempt?: (status: number, elapsedMs: number) => void;
  readonly clock: Clock;
  /** Ends everything. */
  readonly signal: AbortSignal;
  /** Numbers in [0, 1). @default Math.random */
  readonly random?: () => number;
}

/** Limits of one review. */
interface PostOptions {
  /** @default that of the client */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** Sends reviews (TokenReview, SubjectAccessReview, AdmissionReview, events for audit …) to one service. */
export interface ReviewClient {
  /**
   * Posts JSON and returns the JSON of the answer. A body that is a JsonText is sent as it is.
   *
   * @param path appended to the endpoint's; "" posts to the endpoint itself
   * @throws ReviewError when there is no usable answer; the signal's reason when it aborted
   */
  post(path: string, body: unknown, options?: PostOptions): Promise<unknown>;
  /** Closes idle connections. */
  close(): void;
}

const MAX_BYTES = 3 * 1024 * 1024;
const MAX_CONNECTIONS = 64;
/** Connections that were not used for this long are closed. */
const IDLE_MS = 90_000;

/**
 * Creates a client of one service. Connections are reused; redirects are not followed; an answer is JSON of limited length. A service
 * that is slow or dead holds its own requests only, each for `timeoutMs` at most.
 */
export function createReviewClient(options: ReviewClientOptions): ReviewClient {
  const { clock, timeoutMs, retry, onAttempt, random = Math.random } = options;
  const url = new URL(options.endpoint);
  const base = url.pathname.replace(/\/+$/, "");
  const agents = agentsOf(options, url);
  options.signal.addEventListener("abort", () => agents.close(), { once: true });

  const attempt = async (target: string, payload: string, signal: AbortSignal): Promise<unknown> => {
    const startMs = clock.monotonicMs();
    let status = 0;
    try {
      const address = await options.address?.(signal);
      const answer = await exchange({
        url,
        ...address,
        path: target,
        headers: headersOf(options, url),
        payload,
        agent: agents.current(),
        maxBytes: options.maxBytes ?? MAX_BYTES,
        signal,
      });
      status = answer.status;
      return answer.body;
    } catch (error) {
      if (error instanceof ReviewError) status = error.status;
      throw error;
    } finally {
      onAttempt?.(status, clock.monotonicMs() - startMs);
    }
  };

  const attempts = async (target: string, payload: string, signal: AbortSignal): Promise<unknown> => {
    const { attempts: most, initialMs, factor, jitter } = retry ?? { ...reviewRetry, attempts: 1 };
    let delayMs = initialMs;
    for (let left = most - 1; ; left--) {
      try {
        return await attempt(target, payload, signal);
      } catch (error) {
        if (left <= 0 || signal.aborted || !mayPass(error)) throw error;
        await clock.sleep(delayMs * (1 + jitter * random()), signal);
        delayMs *= factor;
      }
    }
  };

  return {
    async post(path, body, limits = {}) {
      const limitMs = limits.timeoutMs ?? timeoutMs;
      const late = new AbortController();
      const timer = clock.setTimeout(() => late.abort(), limitMs);
      const asked = limits.signal === undefined ? [] : [limits.signal];
      const signal = AbortSignal.any([late.signal, options.signal, ...asked]);
      const target = path === "" ? url.pathname + url.search : base + path;
      try {
        return await attempts(target, body instanceof JsonText ? body.text : JSON.stringify(body), signal);
      } catch (error) {
        // The caller's own reason comes first: a time limit that ends as well says less.
        limits.signal?.throwIfAborted();
        options.signal.throwIfAborted();
        if (!late.signal.aborted) throw error;
        throw new ReviewError(`Post ${url.origin}${target}: no answer within ${limitMs} ms`, {
          failure: "timeout",
          cause: error,
        });
      } finally {
        timer.clear();
      }
    },
    close: () => agents.close(),
  };
}

function headersOf({ token, basicAuth }: ReviewEndpoint, url: URL): Record<string, string> {
  const bearer = typeof token === "function" ? token() : token;
  const { username = "", password = "" } = basicAuth ?? {};
  const basic = `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
  const authorization = bearer !== undefined ? `Bearer ${bearer}` : basicAuth && basic;
  return {
    host: url.host,
    accept: "application/json",
    "content-type": "application/json",
    ...(authorization !== undefined && { authorization }),
  };
}

/** The pool of connections for the material now in use. */
function agentsOf(options: ReviewClientOptions, url: URL): { current(): http.Agent | undefined; close(): void } {
  const { tls, caBundle, clientCertificate, dial, maxConnections = MAX_CONNECTIONS } = options;
  const none: ReviewTls = {};
  const limits: AgentOptions = {
    keepAlive: true,
    scheduling: "lifo",
    maxSockets: maxConnections,
    maxFreeSockets: maxConnections,
    timeout: IDLE_MS,
  };
  if (url.protocol !== "https:") {
    // Without a dialer the agent of the process is used.
    const agent = httpAgent(dial, { maxSockets: maxConnections });
    return { current: () => agent, close: () => agent?.destroy() };
  }
  let known: { readonly material: ReviewTls; readonly agent: http.Agent } | undefined;
  return {
    current() {
      const material = tls?.() ?? none;
      if (known?.material === material) return known.agent;
      known?.agent.destroy();
      const ca = caBundle ?? material.ca;
      const cert = clientCertificate?.certPem ?? material.cert;
      const key = clientCertificate?.keyPem ?? material.key;
      const name = material.serverName ?? url.hostname.replace(/^\[|\]$/g, "");
      const agent = httpsAgent(dial, {
        ...limits,
        minVersion: "TLSv1.2",
        ALPNProtocols: ["http/1.1"],
        rejectUnauthorized: material.insecure !== true,
        // An address is no name that TLS could ask for.
        ...(isIP(name) === 0 && { servername: name }),
        checkServerIdentity: (_, certificate) => checkServerIdentity(name, certificate),
        ...(ca !== undefined && { ca }),
        ...(cert !== undefined && { cert }),
        ...(key !== undefined && { key }),
      });
      known = { material, agent };
      return agent;
    },
    close() {
      known?.agent.destroy();
      known = undefined;
    },
  };
}
