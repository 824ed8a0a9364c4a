import type { Route } from "./route.ts";

/** A socket that serves a route. */
export interface Forwarder {
  /** Replaces what the route leads to; connections that are open go on. */
  update(route: Route): void;
  /** Closes the socket and the connections through it. */
  close(): Promise<void>;
}
