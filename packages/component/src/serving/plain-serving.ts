import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type HttpHandler, type Logger, messageOf } from "@orchernetes/kernel";
import { ConfigurationError } from "../configuration-error.ts";
import { respond } from "./http.ts";
import { refuseBadHttp } from "./refuse-bad-http.ts";

/** A port without TLS, such as a health port on localhost. */
export interface PlainServing {
  readonly server: Server;
  readonly port: number;
  /** Closes the port and all connections. */
  close(): Promise<void>;
}

/**
 * Listens with plain HTTP/1.1.
 * @throws ConfigurationError when the address cannot be listened on.
 */
export async function createPlainServing(
  options: {
    readonly bindAddress: string;
    readonly port: number;
    readonly logger: Logger;
    /** Whether `::` means addresses of IPv6 alone instead of all. @default false */
    readonly ipv6Only?: boolean;
  },
  handler: HttpHandler,
): Promise<PlainServing> {
  const { bindAddress, port, logger, ipv6Only = false } = options;
  const server = createServer((request, response) => {
    new Promise((resolve) => resolve(handler(request, response))).catch((error: unknown) => {
      logger.error(error, "Request failed without a response", { method: request.method });
      respond(request, response, 500, { "content-type": "text/plain; charset=utf-8" }, "internal server error\n");
    });
  });
  server.on("clientError", refuseBadHttp);
  const listening = once(server, "listening");
  server.listen({ port, host: bindAddress, ipv6Only });
  try {
    await listening;
  } catch (error) {
    const why = messageOf(error);
    const at = bindAddress.includes(":") ? `[${bindAddress}]` : bindAddress;
    throw new ConfigurationError([`cannot listen on ${at}:${port}: ${why}; want a free port`], {
      cause: error,
    });
  }
  return {
    server,
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
