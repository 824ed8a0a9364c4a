import { type ExportResult, ExportResultCode } from "@opentelemetry/core";
import { BatchSpanProcessor, type ReadableSpan, type SpanProcessor } from "@opentelemetry/sdk-trace";
import type { Logger } from "@orchernetes/kernel";

/** What a {@link SpanQueue} is made of; the defaults are those of OpenTelemetry's batch processor. */
export interface SpanQueueOptions {
  /** Delivers spans; rejects when that failed. */
  readonly send: (spans: readonly ReadableSpan[]) => Promise<void>;
  readonly logger: Logger;
  /** Spans that may wait; those that come when it is full are lost. @default 2048 */
  readonly maxQueued?: number;
  /** Most spans that are sent together. @default 512 */
  readonly maxBatch?: number;
  /** How long spans wait for others. @default 5000 */
  readonly delayMs?: number;
}

/** Failures are logged at most this often. */
const LOG_EVERY_MS = 60_000;

/**
 * Spans on their way out, in the batches of OpenTelemetry's processor. Adding one never waits and never fails; what cannot be delivered
 * is lost and logged now and then, which the processor would report to nobody, or to a global logger.
 */
export class SpanQueue implements SpanProcessor {
  readonly #options: SpanQueueOptions;
  readonly #maxQueued: number;
  readonly #batches: BatchSpanProcessor;
  #waiting = 0;
  #lost = 0;
  #loggedMs = Number.NEGATIVE_INFINITY;

  constructor(options: SpanQueueOptions) {
    const { maxQueued = 2048, maxBatch = 512, delayMs = 5000 } = options;
    this.#options = options;
    this.#maxQueued = maxQueued;
    this.#batches = new BatchSpanProcessor({
      exporter: {
        export: (spans, done) => void this.#send(spans, done),
        shutdown: async () => undefined,
      },
      maxQueueSize: maxQueued,
      maxExportBatchSize: Math.min(maxBatch, maxQueued),
      scheduledDelayMillis: delayMs,
    });
  }

  /** Spans that wait. */
  get length(): number {
    return this.#waiting;
  }

  onStart(): void {}

  onEnd(span: ReadableSpan): void {
    if (this.#waiting >= this.#maxQueued) {
      this.#lost++;
      return;
    }
    // Before: a batch that is full leaves within the call.
    this.#waiting++;
    this.#batches.onEnd(span);
  }

  /** Sends what waits. */
  forceFlush(): Promise<void> {
    return this.#batches.forceFlush();
  }

  shutdown(): Promise<void> {
    return this.#batches.shutdown();
  }

  async #send(spans: readonly ReadableSpan[], done: (result: ExportResult) => void): Promise<void> {
    this.#waiting -= spans.length;
    try {
      await this.#options.send(spans);
      if (this.#lost > 0) this.#report(undefined);
    } catch (error) {
      this.#lost += spans.length;
      this.#report(error);
    }
    // Errors are reported here; the processor would hand them to a global handler.
    done({ code: ExportResultCode.SUCCESS });
  }

  #report(error: unknown): void {
    const now = performance.now();
    if (now - this.#loggedMs < LOG_EVERY_MS) return;
    this.#loggedMs = now;
    const lost = this.#lost;
    this.#lost = 0;
    if (error === undefined)
      this.#options.logger.warn("Spans were recorded faster than they could be exported", { lost });
    else this.#options.logger.error(error, "Spans could not be exported", { lost });
  }
}
