import { type Clock, sleepOn, type Timer } from "./clock.ts";

interface Pending {
  due: number;
  readonly order: number;
  readonly callback: () => void;
  readonly everyMs?: number;
}

/** A clock whose time only changes when a test advances it. Timers fire in order of their due time, then of their start. */
export class FakeClock implements Clock {
  #monotonicMs = 0;
  /** The difference between the wall clock and the monotonic time, in milliseconds. */
  #offsetMs: number;
  readonly #pending = new Set<Pending>();
  #started = 0;

  constructor(start: Date | string = "2023-06-01T00:00:00Z") {
    this.#offsetMs = new Date(start).getTime();
  }

  now(): Date {
    return new Date(this.nowMs());
  }

  nowMs(): number {
    return this.#offsetMs + this.#monotonicMs;
  }

  monotonicMs(): number {
    return this.#monotonicMs;
  }

  setTimeout(callback: () => void, ms: number): Timer {
    return this.#start({ due: this.#monotonicMs + Math.max(ms, 0), order: this.#started++, callback });
  }

  setInterval(callback: () => void, ms: number): Timer {
    const everyMs = Math.max(ms, 1);
    return this.#start({ due: this.#monotonicMs + everyMs, order: this.#started++, callback, everyMs });
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, ms, signal);
  }

  /** The number of timers that have not fired. */
  get waiting(): number {
    return this.#pending.size;
  }

  /** Sets the wall clock without firing anything, as when the machine's clock is corrected; the remaining time of timers does not change. */
  setNow(time: Date | string): void {
    this.#offsetMs = new Date(time).getTime() - this.#monotonicMs;
  }

  /** Advances time by `ms` milliseconds without firing timers, as when the process is stopped; they fire at the next {@link advance}. */
  stall(ms: number): void {
    this.#monotonicMs += ms;
  }

  /** Advances time and fires the timers that become due, in order, including timers that callbacks start. */
  advance(ms: number): void {
    const end = this.#monotonicMs + ms;
    for (let next = this.#next(end); next !== undefined; next = this.#next(end)) {
      this.#fire(next);
    }
    this.#monotonicMs = end;
  }

  /** As {@link advance}, but lets promises settle after each timer and at the end. */
  async advanceAsync(ms: number): Promise<void> {
    const end = this.#monotonicMs + ms;
    await settle();
    for (let next = this.#next(end); next !== undefined; next = this.#next(end)) {
      this.#fire(next);
      await settle();
    }
    this.#monotonicMs = end;
    await settle();
  }

  #start(pending: Pending): Timer {
    this.#pending.add(pending);
    const timer: Timer = { clear: () => void this.#pending.delete(pending), unref: () => timer };
    return timer;
  }

  #next(end: number): Pending | undefined {
    let first: Pending | undefined;
    for (const pending of this.#pending) {
      const earlier =
        first === undefined || pending.due < first.due || (pending.due === first.due && pending.order < first.order);
      if (pending.due <= end && earlier) {
        first = pending;
      }
    }
    return first;
  }

  #fire(pending: Pending): void {
    this.#monotonicMs = Math.max(this.#monotonicMs, pending.due);
    if (pending.everyMs === undefined) {
      this.#pending.delete(pending);
    } else {
      pending.due += pending.everyMs;
    }
    pending.callback();
  }
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
