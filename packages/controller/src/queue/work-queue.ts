import { type Clock, systemClock, type Timer } from "@orchernetes/kernel";
import { noQueueMetrics, type QueueMetrics } from "./queue-metrics.ts";
import { createItemRateLimiter, type ItemRateLimiter } from "./rate-limit.ts";

/** The options of a {@link WorkQueue}. */
export interface WorkQueueOptions<K> {
  readonly name: string;
  readonly clock?: Clock;
  readonly metrics?: QueueMetrics;
  readonly rateLimiter?: ItemRateLimiter<K>;
}

/**
 * A first-in, first-out queue of items to work on. An item is in the queue at most once and is worked on by at most one worker at
 * a time: adding an item that waits does nothing, and an item that is added while it is worked on is queued when that work is
 * done. A controller therefore needs no lock per key, and events that arrive in a burst cause one reconciliation.
 */
export class WorkQueue<K = string> {
  readonly name: string;
  readonly #clock: Clock;
  readonly #metrics: QueueMetrics;
  readonly #rateLimiter: ItemRateLimiter<K>;
  /** Waiting items in order, with the time at which they were added (milliseconds). */
  readonly #waiting = new Map<K, number>();
  readonly #processing = new Map<K, number>();
  /** Items that were added again while they were worked on. */
  readonly #again = new Set<K>();
  readonly #delayed = new Map<K, { readonly dueMs: number; readonly timer: Timer }>();
  readonly #getters: ((item: K | undefined) => void)[] = [];
  readonly #drained: (() => void)[] = [];
  #shutDown = false;

  constructor(options: WorkQueueOptions<K>) {
    this.name = options.name;
    this.#clock = options.clock ?? systemClock;
    this.#metrics = options.metrics ?? noQueueMetrics;
    this.#rateLimiter = options.rateLimiter ?? createItemRateLimiter<K>({ clock: this.#clock });
    this.#metrics.follow?.(this.name, () => this.#inProgress());
  }

  /** The number of waiting items, without those that are worked on or delayed. */
  get length(): number {
    return this.#waiting.size;
  }

  /** Whether the queue accepts no more items. */
  get shuttingDown(): boolean {
    return this.#shutDown;
  }

  /**
   * Adds an item, unless it is waiting already or the queue is shut down. An item that is being worked on is queued
   * again when that work is done.
   */
  add(item: K): void {
    if (this.#shutDown || this.#waiting.has(item)) return;
    if (this.#processing.has(item)) {
      if (this.#again.has(item)) return;
      this.#again.add(item);
      this.#metrics.added(this.name);
      return;
    }
    this.#metrics.added(this.name);
    this.#enqueue(item);
  }

  /** Adds the item after `delayMs` milliseconds. Of several delays for one item the shortest applies. */
  addAfter(item: K, delayMs: number): void {
    if (this.#shutDown) return;
    if (delayMs <= 0) {
      this.add(item);
      return;
    }
    const dueMs = this.#clock.monotonicMs() + delayMs;
    const known = this.#delayed.get(item);
    if (known !== undefined && known.dueMs <= dueMs) return;
    known?.timer.clear();
    const timer = this.#clock.setTimeout(() => {
      this.#delayed.delete(item);
      this.add(item);
    }, delayMs);
    this.#delayed.set(item, { dueMs, timer });
  }

  /** Adds the item after a delay that grows with its failures. */
  addRateLimited(item: K): void {
    this.#metrics.retried(this.name);
    this.addAfter(item, this.#rateLimiter.when(item));
  }

  /** Resets the item's count of failures. */
  forget(item: K): void {
    this.#rateLimiter.forget(item);
  }

  /** The number of failures since {@link WorkQueue.forget}. */
  retries(item: K): number {
    return this.#rateLimiter.retries(item);
  }

  /** Resolves with the next item, for which the caller must call {@link WorkQueue.done}; undefined once the queue is shut down and empty. */
  get(): Promise<K | undefined> {
    if (this.#waiting.size > 0) return Promise.resolve(this.#take());
    if (this.#shutDown) return Promise.resolve(undefined);
    return new Promise((resolve) => this.#getters.push(resolve));
  }

  /** Marks the item as no longer worked on. Queues it again if it was added during that time. */
  done(item: K): void {
    const startedAt = this.#processing.get(item);
    if (startedAt === undefined) return;
    this.#processing.delete(item);
    this.#metrics.worked(this.name, this.#clock.monotonicMs() - startedAt);
    if (this.#again.delete(item)) this.#enqueue(item);
    this.#checkDrained();
  }

  /** Accepts no more items. {@link WorkQueue.get} still returns the waiting ones, then undefined. */
  shutDown(): void {
    this.#shutDown = true;
    for (const { timer } of this.#delayed.values()) timer.clear();
    this.#delayed.clear();
    this.#again.clear();
    if (this.#waiting.size === 0) for (const resolve of this.#getters.splice(0)) resolve(undefined);
  }

  /** As {@link WorkQueue.shutDown}; resolves when no item waits and none is worked on. */
  shutDownWithDrain(): Promise<void> {
    this.shutDown();
    return new Promise((resolve) => {
      this.#drained.push(resolve);
      this.#checkDrained();
    });
  }

  #enqueue(item: K): void {
    this.#waiting.set(item, this.#clock.monotonicMs());
    const getter = this.#getters.shift();
    if (getter !== undefined) getter(this.#take());
    else this.#metrics.depth(this.name, this.#waiting.size);
  }

  #take(): K | undefined {
    const next = this.#waiting.entries().next();
    if (next.done) return undefined;
    const [item, addedAt] = next.value;
    const now = this.#clock.monotonicMs();
    this.#waiting.delete(item);
    this.#processing.set(item, now);
    this.#metrics.waited(this.name, now - addedAt);
    this.#metrics.depth(this.name, this.#waiting.size);
    return item;
  }

  /** How long the current items have been worked on. */
  #inProgress(): { readonly totalMs: number; readonly longestMs: number } {
    const now = this.#clock.monotonicMs();
    let totalMs = 0;
    let longestMs = 0;
    for (const startedAt of this.#processing.values()) {
      totalMs += now - startedAt;
      longestMs = Math.max(longestMs, now - startedAt);
    }
    return { totalMs, longestMs };
  }

  #checkDrained(): void {
    if (!this.#shutDown) return;
    if (this.#waiting.size === 0) for (const resolve of this.#getters.splice(0)) resolve(undefined);
    if (this.#waiting.size === 0 && this.#processing.size === 0) {
      for (const resolve of this.#drained.splice(0)) resolve();
    }
  }
}
