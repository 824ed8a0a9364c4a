import type { AuditEvent, AuditSink } from "@orchernetes/apiserver";
import type { Clock, Timer } from "@orchernetes/kernel";
import type { AuditBackend, ReportLost } from "./backend.ts";
import { Room } from "./room.ts";
import { TokenBucket } from "./token-bucket.ts";

/** How events are collected. */
export interface BatchOptions {
  /** Events that are waiting or being delivered; further ones are dropped. */
  readonly bufferSize: number;
  /** Events of a batch. */
  readonly maxSize: number;
  /** How long an incomplete batch waits. */
  readonly maxWaitMs: number;
  /** Batches per second; undefined: no limit. */
  readonly throttle: { readonly qps: number; readonly burst: number } | undefined;
  /** Size of a batch in bytes; undefined: no limit. */
  readonly maxBytes: number | undefined;
}

/** Parts of a {@link BatchSink}. */
export interface BatchSinkOptions extends BatchOptions {
  readonly backend: AuditBackend;
  readonly reportLost: ReportLost;
  readonly clock: Clock;
}

/** Collects events and delivers them in batches. A request never waits for it. */
export class BatchSink implements AuditSink {
  readonly #options: BatchSinkOptions;
  readonly #bucket: TokenBucket | undefined;
  readonly #underWay = new Set<Promise<void>>();
  readonly #room: Room;
  #queue: AuditEvent[] = [];
  #timer: Timer | undefined;
  #closed = false;

  constructor(options: BatchSinkOptions) {
    this.#options = options;
    this.#room = new Room(options.bufferSize);
    this.#bucket = options.throttle && new TokenBucket(options.clock, options.throttle);
  }

  process(event: AuditEvent): boolean {
    const { maxSize, maxWaitMs, reportLost } = this.#options;
    if (this.#closed) {
      reportLost("buffered", new Error("audit backend is shut down"), 1);
      return true;
    }
    if (!this.#room.take(event)) {
      reportLost("buffered", new Error("audit buffer queue blocked"), 1);
      return true;
    }
    this.#queue.push(event);
    if (this.#queue.length >= maxSize) this.#deliverFull();
    else if (this.#timer === undefined) this.#wait(maxWaitMs);
    return true;
  }

  /** Delivers what is waiting, regardless of the throttle. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#timer?.clear();
    this.#timer = undefined;
    while (this.#queue.length > 0) this.#deliver(this.#nextBatch());
    await Promise.all(this.#underWay);
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

  /** Delivers a batch, unless it has to wait for the throttle. */
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
        this.#room.give(batch);
        this.#underWay.delete(delivery);
      });
    this.#underWay.add(delivery);
  }
}
