import net from "node:net";
import type { Clock } from "@orchernetes/kernel";
import type { Answerer } from "./answerer.ts";
import { TcpConnection, type TcpLimits } from "./tcp-connection.ts";
import type { Listener } from "./udp-listener.ts";

/** Limits of all connections. */
export interface TcpListenerLimits extends TcpLimits {
  /** Further connections are closed at once. @default 512 */
  readonly maxConnections?: number;
  /** @default 64 */
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
  const { address, port, clock, onOverload, isAdmitted, maxConnections = 512, maxConnectionsPerClient = 64 } = options;
  const family = net.isIP(address) === 6 ? 6 : 4;
  const sockets = new Set<net.Socket>();
  const perClient = new Map<string, number>();
  const server = net.createServer({ noDelay: true, pauseOnConnect: false }, (socket) => {
    const client = socket.remoteAddress ?? "";
    if (!isAdmitted(client)) return void socket.on("error", () => undefined).destroy();
    const connections = (perClient.get(client) ?? 0) + 1;
    if (sockets.size >= maxConnections || connections > maxConnectionsPerClient) {
      onOverload();
      socket.on("error", () => undefined).destroy();
      return;
    }
    sockets.add(socket);
    perClient.set(client, connections);
    socket.once("close", () => {
      sockets.delete(socket);
      const left = (perClient.get(client) ?? 1) - 1;
      if (left === 0) perClient.delete(client);
      else perClient.set(client, left);
    });
    new TcpConnection(socket, { ...options, answerer, clock, client: { address: client, family, protocol: "tcp" } });
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
      for (const socket of sockets) socket.destroy();
      return closing;
    },
  };
}
