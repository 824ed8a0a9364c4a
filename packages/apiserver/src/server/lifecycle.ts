import type { Clock } from "@orchernetes/kernel";
import { ActiveWatches } from "../handlers/active-watches.ts";
import type { Limits } from "../interfaces/index.ts";
import { defaultLimits } from "../interfaces/server.ts";
import { WaitGroup } from "./drain.ts";

/** What is being worked on, and whether the server still takes work. */
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

  /** Requests are served, but the server is no longer ready. */
  get shuttingDown(): boolean {
    return this.#shuttingDown;
  }

  /** Clients are asked to reconnect elsewhere. */
  get draining(): boolean {
    return this.#draining;
  }

  beginShutdown(): void {
    this.#shuttingDown = true;
  }

  /** Waits for requests, then up to `watchGraceMs` for watches and other long ones. */
  async drain(watchGraceMs: number): Promise<void> {
    this.#shuttingDown = true;
    this.#draining = true;
    await this.requests.empty(this.#clock, this.#timeoutMs);
    this.watches.stopAll(this.#clock, watchGraceMs / 2);
    await this.longRunning.empty(this.#clock, watchGraceMs);
  }
}
