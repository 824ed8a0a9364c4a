/** A running timer. Clearing twice, or after it fired, does nothing. */
export interface Timer {
  clear(): void;
  /** Lets the process end although the timer runs. Returns the timer. */
  unref(): Timer;
}

/** Source of time; everything that waits takes one, so that tests can turn it. */
export interface Clock {
  now(): Date;
  /** {@link now} as milliseconds since the Unix epoch, without an object for it: for paths that ask often. */
  nowMs(): number;
  /** Milliseconds that never run backwards; only differences mean something. */
  monotonicMs(): number;
  /** Calls `callback` once, after `ms` milliseconds. */
  setTimeout(callback: () => void, ms: number): Timer;
  /** Calls `callback` every `ms` milliseconds. */
  setInterval(callback: () => void, ms: number): Timer;
  /** Waits. Rejects with the signal's reason when it aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Timers of the platform overflow beyond this many milliseconds (some 24 days). */
const maxDelayMs = 2 ** 31 - 1;

/** {@link Clock.sleep} on top of any clock's timers. */
export function sleepOn(clock: Pick<Clock, "setTimeout">, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const onAbort = () => {
      timer.clear();
      reject(signal?.reason);
    };
    const timer = clock.setTimeout(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    }, ms);
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

class SystemTimeout implements Timer {
  readonly #callback: () => void;
  /** What is left to wait when the handle fires. */
  #leftMs: number;
  #referenced = true;
  #handle: NodeJS.Timeout;

  constructor(callback: () => void, ms: number) {
    this.#callback = callback;
    const step = Math.min(Math.max(ms, 0), maxDelayMs);
    this.#leftMs = ms - step;
    // No step in between for the ordinary timer: one closure less for each request that waits.
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
