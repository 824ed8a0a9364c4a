import type { Clock } from "@orchernetes/kernel";
import { ActiveWatches } from "../handlers/active-watches.ts";
import type { Limits } from "../interfaces/index.ts";
import { defaultLimits } from "../interfaces/server.ts";
import { WaitGroup } from "./drain.ts";

/**
 * The requests in flight, and the stage of the shutdown: running → shutting down (not ready, still serving) → draining
 * (clients are sent elsewhere). While the server is shutting down, load balancers have time to notice
 * (`--shutdown-delay-duration`).
 */
export class Lifecycle {
  readonly requests = new WaitGroup();
  readonly longRunning = new WaitGroup();
  readonly watches = new ActiveWatches();
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  #shuttingDown = false;
  #draining = false;

  constructor(clock: Clock, { requestTimeoutMs }: Limits) {
    this.#clock = clock;
    this.#timeoutMs = requestTimeoutMs || defaultLimits.requestTimeoutMs;
  }

  /** Whether the server is no longer ready. It still serves requests. */
  get shuttingDown(): boolean {
    return this.#shuttingDown;
  }

  /** Whether clients are asked to reconnect elsewhere. */
  get draining(): boolean {
    return this.#draining;
  }

  /** Makes the readiness check fail. */
  beginShutdown(): void {
    this.#shuttingDown = true;
  }

  /**
   * Waits for ordinary requests, up to the request timeout, and then up to `watchGraceMs` for watches and other
   * long-running ones. Watches are ended gradually in the first half of that time, so that their clients do not all
   * list again immediately on the other servers.
   */
  async drain(watchGraceMs: number): Promise<void> {
    this.#shuttingDown = true;
    this.#draining = true;
    await this.requests.empty(this.#clock, this.#timeoutMs);
    this.watches.stopAll(this.#clock, watchGraceMs / 2);
    await this.longRunning.empty(this.#clock, watchGraceMs);
  }
}
