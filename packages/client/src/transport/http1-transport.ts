import http from "node:http";
import https from "node:https";
import { type Agents, createAgents } from "./agents.ts";
import type { ClientTls } from "./credentials.ts";
import { transportError } from "./transport-error.ts";

/** One HTTP request. */
interface TransportRequest {
  readonly method: string;
  /** The path with query, starting with `/`, relative to the server's address. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body?: string | Uint8Array;
  /** Whether the response is long-lived: it then has a connection of its own instead of a pooled one. */
  readonly stream?: boolean;
  /** Milliseconds until the whole response must have arrived, or begun in case of a stream; 0 is no limit. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** The header of a response. The caller must read the body or destroy the message. */
export interface TransportResponse {
  readonly statusCode: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: http.IncomingMessage;
}

/** Sends HTTP requests to one server. */
export interface Transport {
  /**
   * Sends a request and resolves with the header of the response.
   *
   * @throws TransportError without a response; the signal's reason when it aborted
   */
  send(request: TransportRequest): Promise<TransportResponse>;
  /** Closes idle connections; those in use close when their request ends. */
  close(): void;
}

/** The server of a transport, and its limits. */
export interface TransportOptions {
  readonly server: URL;
  /** Called for every request, so that rotated certificates are used: a new object causes new connections. */
  readonly tls: () => ClientTls;
  /** Size of the connection pool; further requests wait for a connection. */
  readonly maxConnections: number;
}

/** Creates a transport over HTTP/1.1 with a pool of kept-alive connections, which Node serves faster than one HTTP/2 session. */
export function createTransport({ server, tls, maxConnections }: TransportOptions): Transport {
  const secure = server.protocol === "https:";
  const base = server.pathname.replace(/\/+$/, "");
  const hostname = server.hostname.replace(/^\[|\]$/g, "");
  const port = server.port === "" ? (secure ? 443 : 80) : Number(server.port);
  let agents: Agents | undefined;

  const currentAgents = (): Agents => {
    const material = tls();
    if (agents?.tls === material) return agents;
    agents?.pooled.destroy();
    agents = createAgents(material, { secure, maxConnections });
    return agents;
  };

  const send = (request: TransportRequest): Promise<TransportResponse> =>
    new Promise((resolve, reject) => {
      const { method, path, headers, body, stream, timeoutMs, signal } = request;
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const { pooled, single } = currentAgents();
      const outgoing = (secure ? https : http).request({
        hostname,
        port,
        method,
        path: base + path,
        // Node sets no length of its own for methods that usually have no body, such as DELETE.
        headers: body === undefined ? headers : { ...headers, "content-length": Buffer.byteLength(body) },
        agent: stream ? single : pooled,
      });
      let timer: NodeJS.Timeout | undefined;
      const onAbort = (): void => {
        outgoing.destroy(signal?.reason instanceof Error ? signal.reason : new Error("aborted"));
        reject(signal?.reason);
      };
      if (timeoutMs > 0) {
        timer = setTimeout(() => {
          outgoing.destroy(Object.assign(new Error(`no answer within ${timeoutMs / 1000} s`), { code: "ETIMEDOUT" }));
        }, timeoutMs);
      }
      signal?.addEventListener("abort", onAbort, { once: true });
      const settle = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", onAbort);
      };
      outgoing.once("response", (message) => {
        if (stream) clearTimeout(timer);
        else message.once("close", () => clearTimeout(timer));
        if (signal !== undefined) {
          // From now on an abort destroys the body, and its reader gets an error.
          signal.removeEventListener("abort", onAbort);
          const endBody = (): void => {
            message.destroy();
          };
          signal.addEventListener("abort", endBody, { once: true });
          message.once("close", () => signal.removeEventListener("abort", endBody));
        }
        resolve({ statusCode: message.statusCode ?? 0, headers: message.headers, body: message });
      });
      outgoing.on("error", (error) => {
        settle();
        reject(transportError(method, server.origin + base + path, error, outgoing.reusedSocket));
      });
      outgoing.end(body);
    });

  return {
    send,
    close() {
      agents?.pooled.destroy();
      agents?.single.destroy();
    },
  };
}
