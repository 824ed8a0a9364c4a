import type { Clock } from "@orchernetes/kernel";
import { endpointsFor, type Route, type RouteEndpoint } from "./route.ts";

/** Clients whose endpoints are remembered for one route; the one that was seen longest ago is forgotten first. */
const MAX_CLIENTS = 10_000;

/** Chooses an endpoint for each connection: at random, or the client's last one if the service has affinity. */
export class EndpointChooser {
  readonly #clock: Clock;
  readonly #random: () => number;
  #route: Route;
  /** By client, the one that was seen last at the end. */
  readonly #clients = new Map<string, { readonly endpoint: RouteEndpoint; readonly untilMs: number }>();

  /** @param random a number from 0 to less than 1 */
  constructor(route: Route, clock: Clock, random: () => number) {
    this.#route = route;
    this.#clock = clock;
    this.#random = random;
  }

  /** Replaces the endpoints; clients stay with those that are among the new ones. */
  update(route: Route): void {
    this.#route = route;
  }

  /** The endpoints to try for a connection of a client, in order, each once. */
  candidates(client: string): readonly RouteEndpoint[] {
    const endpoints = endpointsFor(this.#route, client);
    const start = Math.floor(this.#random() * endpoints.length);
    const inTurn = [...endpoints.slice(start), ...endpoints.slice(0, start)];
    const known = this.#clients.get(client);
    if (this.#route.affinitySeconds === undefined || known === undefined) return inTurn;
    const kept =
      known.untilMs > this.#clock.monotonicMs()
        ? inTurn.find((endpoint) => isSame(endpoint, known.endpoint))
        : undefined;
    return kept === undefined ? inTurn : [kept, ...inTurn.filter((endpoint) => endpoint !== kept)];
  }

  /** Notes the endpoint that a client was connected to. */
  connected(client: string, endpoint: RouteEndpoint): void {
    const { affinitySeconds } = this.#route;
    this.#clients.delete(client);
    if (affinitySeconds === undefined) return;
    this.#clients.set(client, { endpoint, untilMs: this.#clock.monotonicMs() + affinitySeconds * 1000 });
    if (this.#clients.size <= MAX_CLIENTS) return;
    for (const [oldest] of this.#clients) {
      this.#clients.delete(oldest);
      return;
    }
  }
}

const isSame = (a: RouteEndpoint, b: RouteEndpoint): boolean => a.address === b.address && a.port === b.port;
