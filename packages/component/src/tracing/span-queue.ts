import type { Logger } from "@orchernetes/kernel";
import type { EndedSpan } from "./span.ts";

/** What a {@link SpanQueue} is made of; the defaults are those of OpenTelemetry's batch processor. */
export interface SpanQueueOptions {
  /** Delivers spans; rejects when that failed. */
  readonly send: (spans: readonly EndedSpan[]) => Promise<void>;
  readonly logger: Logger;
  /** Spans that may wait; those that come when it is full are lost. @default 2048 */
  readonly maxQueued?: number;
  /** Most spans that are sent together. @default 512 */
  readonly maxBatch?: number;
  /** How long spans wait for others. @default 5000 */
  readonly delayMs?: number;
}

/** Failures are logged at most this often. */
const logEveryMs = 60_000;

/**
 * Spans on their way out. Adding one never waits and never fails; what cannot be delivered is lost and logged now and then. One
 * delivery is in flight at a time, so a collector that is slow or unavailable costs only a bounded queue.
 */
export class SpanQueue {
  readonly #options: Required<SpanQueueOptions>;
  #waiting: EndedSpan[] = [];
  #sending: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #lost = 0;
  #loggedMs = Number.NEGATIVE_INFINITY;

  constructor(options: SpanQueueOptions) {
    this.#options = { maxQueued: 2048, maxBatch: 512, delayMs: 5000, ...options };
  }

  /** Spans that wait. */
  get length(): number {
    return this.#waiting.length;
  }

  add(span: EndedSpan): void {
    const { maxQueued, maxBatch, delayMs } = this.#options;
    if (this.#waiting.length >= maxQueued) {
      this.#lost++;
      return;
    }
    this.#waiting.push(span);
    if (this.#waiting.length >= maxBatch) this.#send();
    else this.#timer ??= setTimeout(() => this.#send(), delayMs).unref();
  }

  /** Sends what waits, batch after batch, until a delivery fails. */
  async flush(): Promise<void> {
    this.#send();
    while (this.#sending !== undefined) await this.#sending;
  }

  #send(): void {
    if (this.#sending !== undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#waiting.length === 0) return;
    this.#sending = this.#deliver().finally(() => {
      this.#sending = undefined;
      if (this.#waiting.length > 0) this.#timer ??= setTimeout(() => this.#send(), this.#options.delayMs).unref();
    });
  }

  async #deliver(): Promise<void> {
    const { send, maxBatch } = this.#options;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, maxBatch);
      try {
        await send(batch);
      } catch (error) {
        this.#lost += batch.length;
        this.#tell(error);
        return;
      }
    }
    if (this.#lost > 0) this.#tell(undefined);
  }

  #tell(error: unknown): void {
    const now = performance.now();
    if (now - this.#loggedMs < logEveryMs) return;
    this.#loggedMs = now;
    const lost = this.#lost;
    this.#lost = 0;
    if (error === undefined)
      this.#options.logger.warn("Spans were recorded faster than they could be exported", { lost });
    else this.#options.logger.error(error, "Spans could not be exported", { lost });
  }
}
