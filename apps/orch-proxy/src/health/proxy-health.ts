import { respond, targetOf } from "@orchernetes/component";
import type { Clock, HttpHandler } from "@orchernetes/kernel";

const headers = { "content-type": "application/json", "x-content-type-options": "nosniff" };

/**
 * The health of the daemon: unhealthy while a change has waited longer than the timeout for its synchronization. As in 1.27, the
 * state of the node does not matter, and there is no `/livez`.
 */
export class ProxyHealth {
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  /** By part of the daemon, in milliseconds of the monotonic clock; absent while nothing waits. */
  readonly #oldestQueuedMs = new Map<string, number>();
  #lastUpdatedMs: number | undefined;

  /** @param timeoutMs how long a change may wait, in milliseconds */
  constructor(clock: Clock, timeoutMs: number) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
  }

  /** A change waits for its synchronization. @param part whose change it is */
  queued(part = "services"): void {
    if (!this.#oldestQueuedMs.has(part)) this.#oldestQueuedMs.set(part, this.#clock.monotonicMs());
  }

  /** All changes of a part are synchronized. */
  updated(part = "services"): void {
    this.#oldestQueuedMs.delete(part);
    this.#lastUpdatedMs = this.#clock.nowMs();
  }

  /** Whether no change has waited too long. It is also true before the first one. */
  isHealthy(): boolean {
    const now = this.#clock.monotonicMs();
    return [...this.#oldestQueuedMs.values()].every((queuedMs) => now - queuedMs < this.#timeoutMs);
  }

  /** Serves `/healthz`. */
  readonly handle: HttpHandler = (request, response) => {
    if (targetOf(request).path !== "/healthz")
      return respond(request, response, 404, { "content-type": "text/plain; charset=utf-8" }, "404 page not found\n");
    const isHealthy = this.isHealthy();
    return respond(request, response, isHealthy ? 200 : 503, headers, `{${this.#times(isHealthy)}}`);
  };

  /** While healthy the last update is now, as in the original: nothing has waited for one. */
  #times(isHealthy: boolean): string {
    const now = this.#clock.nowMs();
    const updated = isHealthy ? now : this.#lastUpdatedMs;
    return `"lastUpdated": "${goTime(updated)}","currentTime": "${goTime(now)}"`;
  }
}

/** A time as Go's `Time.String` writes it, in UTC; undefined is Go's zero time. */
function goTime(ms: number | undefined): string {
  if (ms === undefined) return "0001-01-01 00:00:00 +0000 UTC";
  const [date = "", time = ""] = new Date(ms).toISOString().slice(0, -1).split("T");
  const [seconds, fraction = ""] = time.split(".");
  const digits = fraction.replace(/0+$/, "");
  return `${date} ${seconds}${digits === "" ? "" : `.${digits}`} +0000 UTC`;
}
