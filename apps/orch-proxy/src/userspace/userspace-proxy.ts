import { type Clock, type Logger, messageOf } from "@orchernetes/kernel";
import { EndpointChooser } from "./endpoint-chooser.ts";
import type { Forwarder } from "./forwarder.ts";
import { type Route, routeKey } from "./route.ts";
import { type SharedSockets, SocketBudget } from "./socket-budget.ts";
import { forwardTcp } from "./tcp-forwarder.ts";
import { forwardUdp } from "./udp-forwarder.ts";

/** The options of {@link UserspaceProxy}. */
export interface UserspaceOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** How long a client's UDP packets go to one endpoint without a packet in either direction, in milliseconds. */
  readonly udpIdleMs: number;
  /** @default Math.random */
  readonly random?: () => number;
  readonly limits?: Partial<UserspaceLimits>;
}

/** What the services may take of this process. What is beyond is not served. */
export interface UserspaceLimits {
  /** Addresses and ports that are listened on. @default 16,384 */
  readonly listening: number;
  /** Of them, those of the services of one namespace. @default 4,096 */
  readonly listeningPerNamespace: number;
  /** Connections over TCP. @default 16,384 */
  readonly connections: number;
  /** Clients over UDP. @default 8,192 */
  readonly exchanges: number;
}

const defaultLimits: UserspaceLimits = {
  listening: 16_384,
  listeningPerNamespace: 4096,
  connections: 16_384,
  exchanges: 8192,
};

/** Forwards connections to services in this process, which needs no rights and no other program for that. */
export class UserspaceProxy {
  readonly #options: UserspaceOptions;
  readonly #forwarders = new Map<string, Forwarder>();
  /** Sockets that could not be opened, with the reason that was logged. */
  readonly #failed = new Map<string, string>();
  readonly #limits: UserspaceLimits;
  readonly #shared: SharedSockets;
  #tooMany = 0;

  constructor(options: UserspaceOptions) {
    this.#options = options;
    this.#limits = { ...defaultLimits, ...options.limits };
    const { connections, exchanges } = this.#limits;
    this.#shared = { connections: new SocketBudget(connections), exchanges: new SocketBudget(exchanges) };
  }

  /**
   * Opens and closes sockets until these routes are served; of several with one socket the first counts. A socket that cannot
   * be opened is logged once, and tried again with the next call.
   */
  async sync(routes: Iterable<Route>): Promise<void> {
    const wanted = this.#within(routes);
    for (const [key, forwarder] of this.#forwarders) {
      if (wanted.has(key)) continue;
      this.#forwarders.delete(key);
      await forwarder.close();
    }
    for (const key of this.#failed.keys()) if (!wanted.has(key)) this.#failed.delete(key);
    for (const [key, route] of wanted) {
      const known = this.#forwarders.get(key);
      if (known === undefined) await this.#open(key, route);
      else known.update(route);
    }
  }

  /** Number of open sockets. */
  get size(): number {
    return this.#forwarders.size;
  }

  /** Closes everything. */
  close(): Promise<void> {
    return this.sync([]);
  }

  /** The routes that may be served, those that are being served first. */
  #within(routes: Iterable<Route>): ReadonlyMap<string, Route> {
    const all = new Map<string, Route>();
    for (const route of routes) if (!all.has(routeKey(route))) all.set(routeKey(route), route);
    const { listening, listeningPerNamespace } = this.#limits;
    const wanted = new Map<string, Route>();
    const counts = new Map<string, number>();
    for (const isServed of [true, false])
      for (const [key, route] of all) {
        if (this.#forwarders.has(key) !== isServed) continue;
        const count = counts.get(route.namespace) ?? 0;
        if (count >= listeningPerNamespace || wanted.size >= listening) continue;
        counts.set(route.namespace, count + 1);
        wanted.set(key, route);
      }
    const tooMany = all.size - wanted.size;
    if (tooMany > 0 && tooMany !== this.#tooMany)
      this.#options.logger.warn("Some services are not served, because the limit of listening sockets is reached", {
        sockets: tooMany,
      });
    this.#tooMany = tooMany;
    return wanted;
  }

  async #open(key: string, route: Route): Promise<void> {
    const { clock, logger, udpIdleMs, random = Math.random } = this.#options;
    const chooser = new EndpointChooser(route, clock, random);
    try {
      const forwarder =
        route.protocol === "tcp"
          ? await forwardTcp(route, chooser, { logger, ...this.#shared })
          : await forwardUdp(route, chooser, { clock, logger, idleMs: udpIdleMs, ...this.#shared });
      this.#forwarders.set(key, forwarder);
      this.#failed.delete(key);
      logger.v(2)?.info("Serving a service", { socket: key });
    } catch (error) {
      const reason = messageOf(error);
      if (this.#failed.get(key) === reason) return;
      this.#failed.set(key, reason);
      logger.warn("Unable to serve a service", { socket: key, reason });
    }
  }
}
