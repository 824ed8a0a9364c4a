import net from "node:net";
import type { Clock } from "@orchernetes/kernel";
import type { Answerer } from "./answerer.ts";
import { ClientConnections } from "./client-connections.ts";
import { TcpConnection, type TcpLimits } from "./tcp-connection.ts";
import type { Listener } from "./udp-listener.ts";

/** Limits of all connections. */
export interface TcpListenerLimits extends TcpLimits {
  /** With a further connection, the idlest one of the client with most is closed. @default 512 */
  readonly maxConnections?: number;
  /** Further connections are closed at once. @default 16 */
  readonly maxConnectionsPerClient?: number;
}

/**
 * Answers questions over TCP.
 *
 * @throws Error with a code of the system, such as EADDRINUSE, when the port cannot be opened
 */
export async function listenOnTcp(
  answerer: Answerer,
  options: TcpListenerLimits & {
    readonly address: string;
    readonly port: number;
    readonly clock: Clock;
    readonly onOverload: () => void;
    readonly isAdmitted: (client: string) => boolean;
  },
): Promise<Listener> {
  const { address, port, clock, onOverload, isAdmitted, maxConnections = 512, maxConnectionsPerClient = 16 } = options;
  const family = net.isIP(address) === 6 ? 6 : 4;
  const connections = new ClientConnections({ maxConnections, maxPerClient: maxConnectionsPerClient });
  const server = net.createServer({ noDelay: true, pauseOnConnect: false }, (socket) => {
    const client = socket.remoteAddress ?? "";
    if (!isAdmitted(client)) return void socket.on("error", () => undefined).destroy();
    if (!connections.hasPlaceFor(client)) {
      onOverload();
      socket.on("error", () => undefined).destroy();
      return;
    }
    const dnsClient = { address: client, family, protocol: "tcp" } as const;
    const connection = new TcpConnection(socket, { ...options, answerer, clock, client: dnsClient });
    socket.once("close", () => connections.delete(client, connection));
    if (connections.add(client, connection)) onOverload();
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host: address, port, exclusive: true, ipv6Only: family === 6 }, () => {
      server.off("error", reject);
      resolve();
    });
  });
  let failed: (error: unknown) => void = () => undefined;
  server.on("error", (error) => failed(error));
  const bound = server.address();
  return {
    port: typeof bound === "object" && bound !== null ? bound.port : port,
    onFailed(callback) {
      failed = callback;
    },
    close() {
      failed = () => undefined;
      const closing = new Promise<void>((resolve) => server.close(() => resolve()));
      connections.closeAll();
      return closing;
    },
  };
}
