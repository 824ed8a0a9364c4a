import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import type { Clock, Logger, Timer } from "@orchernetes/kernel";
import type { EndpointChooser } from "./endpoint-chooser.ts";
import type { Forwarder } from "./forwarder.ts";
import type { Route } from "./route.ts";
import type { SocketBudget } from "./socket-budget.ts";

/** Clients of one route at a time; beyond that, the one without packets for the longest time is forgotten. */
const MAX_CLIENTS = 1024;

/** The endpoint and the socket for the packets of one client. */
interface Exchange {
  /** Of the endpoint, as address and port. */
  readonly endpoint: string;
  readonly socket: Socket;
  /** Packets from before the socket is connected; undefined afterwards. */
  pending: Buffer[] | undefined;
  timer: Timer;
}

/** Packets of a client that wait for its socket, which takes less than a turn of the event loop; further ones are lost. */
const MAX_PENDING = 64;

/** The options of {@link forwardUdp}. */
export interface UdpOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** How long a client keeps its endpoint without a packet in either direction, in milliseconds. */
  readonly idleMs: number;
  /**
   * The sockets of the clients of all routes. Where none is left, the client of the route without packets for the longest time is
   * forgotten.
   */
  readonly exchanges: SocketBudget;
}

/**
 * Listens on a route's address and forwards packets: those of one client to one endpoint, until there are none for a while.
 *
 * @throws Error when the address cannot be listened on
 */
export async function forwardUdp(first: Route, chooser: EndpointChooser, options: UdpOptions): Promise<Forwarder> {
  const { logger } = options;
  const exchanges = new UdpExchanges(chooser, options);
  let route = first;
  const socket = createSocket({ type: typeOf(first.address), reuseAddr: false });
  const listening = once(socket, "listening");
  socket.bind({ address: first.address, port: first.port, exclusive: true });
  try {
    await listening;
  } catch (error) {
    socket.close();
    throw error;
  }
  socket.on("error", (error) =>
    logger.v(2)?.info("A socket has failed", { address: route.address, port: route.port, error }),
  );
  socket.on("message", (data, { address, port }) => {
    if (!route.admits(address)) return;
    exchanges.send(data, { address, port }, (answer) => socket.send(answer, port, address));
  });
  return {
    update(next) {
      // What goes to an endpoint that is gone has to go elsewhere.
      const all = [...next.endpoints, ...(next.outside?.endpoints ?? [])];
      exchanges.keepOnly(all.map(({ address, port }) => `${address} ${port}`));
      route = next;
      chooser.update(next);
    },
    async close() {
      exchanges.keepOnly([]);
      const closed = once(socket, "close");
      socket.close();
      await closed;
    },
  };
}

const typeOf = (address: string): "udp4" | "udp6" => (address.includes(":") ? "udp6" : "udp4");

/** The clients of one route, the one with the last packet at the end. */
class UdpExchanges {
  readonly #chooser: EndpointChooser;
  readonly #options: UdpOptions;
  readonly #exchanges = new Map<string, Exchange>();

  constructor(chooser: EndpointChooser, options: UdpOptions) {
    this.#chooser = chooser;
    this.#options = options;
  }

  send(
    data: Buffer,
    client: { readonly address: string; readonly port: number },
    answer: (data: Buffer) => void,
  ): void {
    const key = `${client.address} ${client.port}`;
    const known = this.#exchanges.get(key) ?? this.#open(key, client.address, answer);
    if (known === undefined) return;
    this.#touch(key);
    if (known.pending === undefined) known.socket.send(data);
    else if (known.pending.length < MAX_PENDING) known.pending.push(data);
  }

  /** Forgets clients of other endpoints. */
  keepOnly(endpoints: readonly string[]): void {
    const kept = new Set(endpoints);
    for (const [key, { endpoint }] of this.#exchanges) if (!kept.has(endpoint)) this.#forget(key);
  }

  #open(key: string, address: string, answer: (data: Buffer) => void): Exchange | undefined {
    const [endpoint] = this.#chooser.candidates(address);
    if (endpoint === undefined || !this.#takePlace()) return undefined;
    this.#chooser.connected(address, endpoint);
    const socket = createSocket(typeOf(endpoint.address));
    // An endpoint that refuses packets (ICMP): the client's next packet may go to another one.
    socket.on("error", () => this.#forget(key));
    socket.on("message", (data) => {
      this.#touch(key);
      answer(data);
    });
    const name = `${endpoint.address} ${endpoint.port}`;
    const exchange: Exchange = { socket, endpoint: name, pending: [], timer: this.#timer(key) };
    socket.once("connect", () => {
      for (const data of exchange.pending ?? []) socket.send(data);
      exchange.pending = undefined;
    });
    socket.connect(endpoint.port, endpoint.address);
    this.#exchanges.set(key, exchange);
    return exchange;
  }

  /** Takes a place for one more client, if need be that of another one of this route. */
  #takePlace(): boolean {
    const { exchanges } = this.#options;
    if (this.#exchanges.size < MAX_CLIENTS && exchanges.take()) return true;
    const [oldest] = this.#exchanges.keys();
    if (oldest === undefined) return false;
    this.#forget(oldest);
    return exchanges.take();
  }

  #timer(key: string): Timer {
    return this.#options.clock.setTimeout(() => this.#forget(key), this.#options.idleMs);
  }

  #touch(key: string): void {
    const exchange = this.#exchanges.get(key);
    if (exchange === undefined) return;
    exchange.timer.clear();
    exchange.timer = this.#timer(key);
    this.#exchanges.delete(key);
    this.#exchanges.set(key, exchange);
  }

  #forget(key: string): void {
    const exchange = this.#exchanges.get(key);
    if (exchange === undefined) return;
    this.#exchanges.delete(key);
    this.#options.exchanges.release();
    exchange.timer.clear();
    exchange.socket.close();
  }
}
