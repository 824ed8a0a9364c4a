import { type ExportResult, ExportResultCode } from "@opentelemetry/core";
import { BatchSpanProcessor, type ReadableSpan, type SpanProcessor } from "@opentelemetry/sdk-trace";
import type { Logger } from "@orchernetes/kernel";

/** The options of a {@link SpanQueue}. Defaults are those of the batch processor of OpenTelemetry. */
export interface SpanQueueOptions {
  /** Sends spans; rejects when that fails. */
  readonly send: (spans: readonly ReadableSpan[]) => Promise<void>;
  readonly logger: Logger;
  /** Maximum number of waiting spans. Spans that end while the queue is full are lost. @default 2048 */
  readonly maxQueued?: number;
  /** Maximum number of spans in one call of `send`. @default 512 */
  readonly maxBatch?: number;
  /** Milliseconds that spans wait for others. @default 5000 */
  readonly delayMs?: number;
}

/** Shortest time between two log lines about lost spans. */
const LOG_EVERY_MS = 60_000;

/**
 * Queues ended spans and sends them in batches, with the batch processor of OpenTelemetry. Adding a span never waits
 * and never fails. Spans that cannot be sent are lost, and this class logs their number at intervals; the processor
 * would not report them, or only to a global logger.
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

  /** The number of waiting spans. */
  get length(): number {
    return this.#waiting;
  }

  onStart(): void {}

  onEnd(span: ReadableSpan): void {
    if (this.#waiting >= this.#maxQueued) {
      this.#lost++;
      return;
    }
    // Counted first, because the processor sends a full batch within this call.
    this.#waiting++;
    this.#batches.onEnd(span);
  }

  /** Sends all waiting spans. Resolves when they are sent or lost. */
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
    // Errors are logged here; the processor would pass them to a global handler.
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
