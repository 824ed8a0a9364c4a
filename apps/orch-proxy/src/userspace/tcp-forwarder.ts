import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import type { Logger } from "@orchernetes/kernel";
import type { EndpointChooser } from "./endpoint-chooser.ts";
import type { Forwarder } from "./forwarder.ts";
import type { Route, RouteEndpoint } from "./route.ts";
import type { SocketBudget } from "./socket-budget.ts";

/** How long an endpoint may take to accept a connection before the next one is tried, in milliseconds. */
const CONNECT_MS = 5000;
/** Connections of one route at a time; further ones are closed at once, as are those beyond what all routes may have. */
const MAX_CONNECTIONS = 4096;

/**
 * Listens on a route's address and forwards its connections. An end of one side is passed on to the other, which may go on
 * sending; an error of one side ends both.
 *
 * @throws Error when the address cannot be listened on
 */
export async function forwardTcp(
  first: Route,
  chooser: EndpointChooser,
  { logger, connections }: { readonly logger: Logger; readonly connections: SocketBudget },
): Promise<Forwarder> {
  let route = first;
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    client.on("error", () => client.destroy());
    if (!connections.take()) return void client.resetAndDestroy();
    sockets.add(client);
    client.once("close", () => {
      sockets.delete(client);
      connections.release();
    });
    const address = client.remoteAddress ?? "";
    if (!route.admits(address)) return void client.resetAndDestroy();
    forward(client, chooser, address).catch((error: unknown) => {
      logger.v(2)?.info("Unable to forward a connection", { address: route.address, port: route.port, error });
      client.resetAndDestroy();
    });
  });
  server.maxConnections = MAX_CONNECTIONS;
  await listen(server, first);
  return {
    update(next) {
      route = next;
      chooser.update(next);
    },
    async close() {
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

async function listen(server: Server, { address, port }: Route): Promise<void> {
  const listening = once(server, "listening");
  server.listen({ host: address, port, exclusive: true });
  await listening;
  // Later errors concern single connections that could not be accepted; the server goes on.
  server.on("error", () => undefined);
}

async function forward(client: Socket, chooser: EndpointChooser, address: string): Promise<void> {
  const { socket, endpoint } = await connectToOne(chooser.candidates(address), client);
  chooser.connected(address, endpoint);
  const end = (): void => {
    client.destroy();
    socket.destroy();
  };
  for (const side of [client, socket]) side.on("error", end);
  client.once("close", () => socket.destroy());
  socket.once("close", () => client.destroy());
  client.pipe(socket);
  socket.pipe(client);
}

/** @throws Error of the last endpoint if none accepts the connection, or if the client has gone */
async function connectToOne(
  endpoints: readonly RouteEndpoint[],
  client: Socket,
): Promise<{ readonly socket: Socket; readonly endpoint: RouteEndpoint }> {
  let last: unknown = new Error("the service has no endpoint");
  for (const endpoint of endpoints) {
    if (client.destroyed) break;
    try {
      return { socket: await connectTo(endpoint), endpoint };
    } catch (error) {
      last = error;
    }
  }
  throw last;
}

async function connectTo({ address, port }: RouteEndpoint): Promise<Socket> {
  const socket = connect({ host: address, port, allowHalfOpen: true, noDelay: true });
  const timer = setTimeout(
    () => socket.destroy(new Error(`the endpoint did not accept the connection within ${CONNECT_MS} ms`)),
    CONNECT_MS,
  );
  try {
    await once(socket, "connect");
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
