import { onAbort } from "./on-abort.ts";

/** A running timer. Clearing it twice, or after it has fired, does nothing. */
export interface Timer {
  clear(): void;
  /** Allows the process to exit while the timer runs, as `Timeout.unref` of Node does. Returns the timer. */
  unref(): Timer;
}

/**
 * The source of time. Everything that waits or measures takes one as an option, so that a test can move time with `FakeClock`
 * instead of sleeping. All times and delays are in milliseconds.
 */
export interface Clock {
  now(): Date;
  /** {@link now} as milliseconds since the Unix epoch. It allocates no object: for code that runs for every request. */
  nowMs(): number;
  /** Milliseconds that never run backwards, from an arbitrary start; only differences are meaningful. */
  monotonicMs(): number;
  /** Calls `callback` once, after `ms` milliseconds; delays longer than the platform's limit of 24.8 days work, too. */
  setTimeout(callback: () => void, ms: number): Timer;
  /** Calls `callback` every `ms` milliseconds until the timer is cleared. */
  setInterval(callback: () => void, ms: number): Timer;
  /** Resolves after `ms` milliseconds. Rejects with the signal's reason when the signal aborts first; the timer is then cleared. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The longest delay of the platform's timers in milliseconds (24.8 days); a longer one would fire at once. */
const maxDelayMs = 2 ** 31 - 1;

/** Implements {@link Clock.sleep} on the timers of any clock. */
export function sleepOn(clock: Pick<Clock, "setTimeout">, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const timer = clock.setTimeout(() => {
      undo?.();
      resolve();
    }, ms);
    const undo =
      signal &&
      onAbort(signal, () => {
        timer.clear();
        reject(signal.reason);
      });
  });
}

class SystemTimeout implements Timer {
  readonly #callback: () => void;
  /** Milliseconds that remain when the current timer of the platform fires. */
  #leftMs: number;
  #referenced = true;
  #handle: NodeJS.Timeout;

  constructor(callback: () => void, ms: number) {
    this.#callback = callback;
    const step = Math.min(Math.max(ms, 0), maxDelayMs);
    this.#leftMs = ms - step;
    // An ordinary timer calls back directly: one closure less for each request that waits.
    this.#handle = this.#leftMs > 0 ? setTimeout(() => this.#wait(), step) : setTimeout(callback, step);
  }

  clear(): void {
    clearTimeout(this.#handle);
  }

  unref(): Timer {
    this.#referenced = false;
    this.#handle.unref();
    return this;
  }

  #wait(): void {
    const step = Math.min(this.#leftMs, maxDelayMs);
    this.#leftMs -= step;
    this.#handle = setTimeout(this.#leftMs > 0 ? () => this.#wait() : this.#callback, step);
    if (!this.#referenced) {
      this.#handle.unref();
    }
  }
}

class SystemInterval implements Timer {
  readonly #handle: NodeJS.Timeout;

  constructor(callback: () => void, ms: number) {
    this.#handle = setInterval(callback, Math.min(ms, maxDelayMs));
  }

  clear(): void {
    clearInterval(this.#handle);
  }

  unref(): Timer {
    this.#handle.unref();
    return this;
  }
}

const startTimeout = (callback: () => void, ms: number): Timer => new SystemTimeout(callback, ms);

/** The machine's clock. */
export const systemClock: Clock = Object.freeze({
  now: () => new Date(),
  nowMs: Date.now,
  monotonicMs: () => performance.now(),
  setTimeout: startTimeout,
  setInterval: (callback: () => void, ms: number): Timer => new SystemInterval(callback, ms),
  sleep: (ms: number, signal?: AbortSignal) => sleepOn({ setTimeout: startTimeout }, ms, signal),
});
