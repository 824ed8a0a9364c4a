import http from "node:http";
import https from "node:https";
import { addressOf } from "./address.ts";
import { type Agents, createAgents } from "./agents.ts";
import { responseTo } from "./exchange.ts";
import type { Transport, TransportOptions, TransportRequest, TransportResponse } from "./transport.ts";
import { transportError } from "./transport-error.ts";

/**
 * Creates a transport over HTTP/1.1, with a pool of kept-alive connections and a separate connection for each stream:
 * streams would otherwise occupy the pool.
 */
export function createHttp1Transport({ server, tls, maxConnections }: TransportOptions): Transport {
  const secure = server.protocol === "https:";
  const { base, hostname, port } = addressOf(server);
  let agents: Agents | undefined;

  const currentAgents = (): Agents => {
    const material = tls();
    // Streams of the old agents continue on the connections that they have.
    if (agents?.tls === material) return agents;
    agents?.pooled.destroy();
    agents = createAgents(material, { secure, maxConnections });
    return agents;
  };

  const send = async (request: TransportRequest): Promise<TransportResponse> => {
    const { method, path, headers, body, stream, signal } = request;
    signal?.throwIfAborted();
    request.beforeSend?.();
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
    const response = responseTo(
      {
        onResponse: (callback) =>
          outgoing.once("response", (message) =>
            callback({ statusCode: message.statusCode ?? 0, headers: message.headers, body: message }),
          ),
        onFailure: (callback) =>
          outgoing.on("error", (error) =>
            callback(transportError(method, server.origin + base + path, error, { reused: outgoing.reusedSocket })),
          ),
        cancel: (error) => void outgoing.destroy(error),
      },
      request,
    );
    outgoing.end(body);
    return response;
  };

  return {
    send,
    close() {
      agents?.pooled.destroy();
      agents?.single.destroy();
    },
  };
}
