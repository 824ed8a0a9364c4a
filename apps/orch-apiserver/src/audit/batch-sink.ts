import type { AuditEvent, AuditSink } from "@orchernetes/apiserver";
import type { Clock, Timer } from "@orchernetes/kernel";
import type { AuditBackend, ReportLost } from "./backend.ts";
import { BufferCapacity } from "./buffer-capacity.ts";
import { TokenBucket } from "./token-bucket.ts";

/** Settings of batches: the flags `--audit-log-batch-*` and `--audit-webhook-batch-*`. */
export interface BatchOptions {
  /** Maximum number of events that are waiting or being delivered; further ones are dropped. */
  readonly bufferSize: number;
  /** Maximum number of events in a batch. */
  readonly maxSize: number;
  /** Time in milliseconds after which an incomplete batch is delivered. */
  readonly maxWaitMs: number;
  /** Limits the batches per second; undefined: no limit. */
  readonly throttle: { readonly qps: number; readonly burst: number } | undefined;
  /** Maximum size of a batch in bytes; undefined: no limit. An event that is larger is a batch by itself. */
  readonly maxBytes: number | undefined;
}

/** Options of {@link BatchSink}. */
export interface BatchSinkOptions extends BatchOptions {
  readonly backend: AuditBackend;
  readonly reportLost: ReportLost;
  readonly clock: Clock;
}

/**
 * Mode `batch`: collects events and delivers them in batches, in the background. Requests never wait; when the buffer is full, events are
 * dropped and reported. Batches may overlap, so that a slow delivery does not hold up the next one.
 */
export class BatchSink implements AuditSink {
  readonly #options: BatchSinkOptions;
  readonly #bucket: TokenBucket | undefined;
  readonly #inFlight = new Set<Promise<void>>();
  readonly #capacity: BufferCapacity;
  #queue: AuditEvent[] = [];
  #timer: Timer | undefined;
  #closed = false;

  constructor(options: BatchSinkOptions) {
    this.#options = options;
    this.#capacity = new BufferCapacity(options.bufferSize);
    this.#bucket = options.throttle && new TokenBucket(options.clock, options.throttle);
  }

  process(event: AuditEvent): boolean {
    const { maxSize, maxWaitMs, reportLost } = this.#options;
    if (this.#closed) {
      reportLost("buffered", new Error("audit backend is shut down"), 1);
      return true;
    }
    if (!this.#capacity.reserve(event)) {
      reportLost("buffered", new Error("audit buffer queue blocked"), 1);
      return true;
    }
    this.#queue.push(event);
    if (this.#queue.length >= maxSize) this.#deliverFull();
    else if (this.#timer === undefined) this.#wait(maxWaitMs);
    return true;
  }

  /** Delivers all waiting events, regardless of the throttle, and waits for the deliveries in flight. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#timer?.clear();
    this.#timer = undefined;
    while (this.#queue.length > 0) this.#deliver(this.#nextBatch());
    await Promise.all(this.#inFlight);
  }

  #wait(ms: number): void {
    this.#timer?.clear();
    this.#timer = this.#options.clock.setTimeout(() => {
      this.#timer = undefined;
      this.#deliverAll();
    }, ms);
    this.#timer.unref();
  }

  #deliverFull(): void {
    while (this.#queue.length >= this.#options.maxSize) if (!this.#deliverNext()) return;
  }

  #deliverAll(): void {
    while (this.#queue.length > 0) if (!this.#deliverNext()) return;
  }

  /** Delivers a batch. Returns false if the throttle does not allow it yet; a timer then tries again. */
  #deliverNext(): boolean {
    const waitMs = this.#bucket?.take() ?? 0;
    if (waitMs > 0) {
      this.#wait(waitMs);
      return false;
    }
    this.#deliver(this.#nextBatch());
    if (this.#queue.length === 0) {
      this.#timer?.clear();
      this.#timer = undefined;
    }
    return true;
  }

  #nextBatch(): readonly AuditEvent[] {
    const { maxSize, maxBytes } = this.#options;
    let count = Math.min(maxSize, this.#queue.length);
    if (maxBytes !== undefined) {
      let bytes = 0;
      const beyond = this.#queue.slice(0, count).findIndex((event, index) => {
        bytes += Buffer.byteLength(event.json);
        return index > 0 && bytes > maxBytes;
      });
      if (beyond > 0) count = beyond;
    }
    return this.#queue.splice(0, count);
  }

  #deliver(batch: readonly AuditEvent[]): void {
    const { backend, reportLost } = this.#options;
    const delivery = backend
      .deliver(batch)
      .catch((error: unknown) => reportLost(backend.name, error, batch.length))
      .finally(() => {
        this.#capacity.release(batch);
        this.#inFlight.delete(delivery);
      });
    this.#inFlight.add(delivery);
  }
}
