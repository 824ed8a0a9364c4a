import { createHttp1Transport } from "./http1-transport.ts";
import { createHttp2Transport } from "./http2-transport.ts";
import type { Transport, TransportOptions } from "./transport.ts";

/**
 * Creates a transport. With TLS all requests share one HTTP/2 connection, if the server supports that: a watch on a
 * connection of its own costs both sides some 100 kB, and one on a stream a tenth of that. Otherwise a pool of
 * HTTP/1.1 connections is kept.
 */
export function createTransport(options: TransportOptions): Transport {
  const http1 = createHttp1Transport(options);
  return options.server.protocol === "https:" ? createHttp2Transport(options, http1) : http1;
}
