import { type Clock, type Logger, messageOf } from "@orchernetes/kernel";
import { EndpointChooser } from "./endpoint-chooser.ts";
import type { Forwarder } from "./forwarder.ts";
import { type Route, routeKey } from "./route.ts";
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
}

/** Forwards connections to services by itself: no right and no program is needed for it. */
export class UserspaceProxy {
  readonly #options: UserspaceOptions;
  readonly #forwarders = new Map<string, Forwarder>();
  /** Sockets that could not be opened, with the reason that was logged. */
  readonly #failed = new Map<string, string>();

  constructor(options: UserspaceOptions) {
    this.#options = options;
  }

  /**
   * Opens and closes sockets until these routes are served; of several with one socket the first counts. A socket that cannot
   * be opened is logged once, and tried again with the next call.
   */
  async sync(routes: Iterable<Route>): Promise<void> {
    const wanted = new Map<string, Route>();
    for (const route of routes) if (!wanted.has(routeKey(route))) wanted.set(routeKey(route), route);
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

  async #open(key: string, route: Route): Promise<void> {
    const { clock, logger, udpIdleMs, random = Math.random } = this.#options;
    const chooser = new EndpointChooser(route, clock, random);
    try {
      const forwarder =
        route.protocol === "tcp"
          ? await forwardTcp(route, chooser, logger)
          : await forwardUdp(route, chooser, { clock, logger, idleMs: udpIdleMs });
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
