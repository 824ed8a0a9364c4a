/** A running timer. Clearing twice, or after it fired, does nothing. */
export interface Timer {
  clear(): void;
  /** Lets the process end although the timer runs. */
  unref(): void;
}

/** Source of time; everything that waits takes one, so that tests can turn it. */
export interface Clock {
  now(): Date;
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

function startTimeout(callback: () => void, ms: number): Timer {
  let referenced = true;
  let handle: NodeJS.Timeout;
  const wait = (left: number) => {
    const step = Math.min(Math.max(left, 0), maxDelayMs);
    handle = setTimeout(() => (left > step ? wait(left - step) : callback()), step);
    if (!referenced) {
      handle.unref();
    }
  };
  wait(ms);
  return {
    clear: () => clearTimeout(handle),
    unref: () => {
      referenced = false;
      handle.unref();
    },
  };
}

/** The machine's clock. */
export const systemClock: Clock = Object.freeze({
  now: () => new Date(),
  monotonicMs: () => performance.now(),
  setTimeout: startTimeout,
  setInterval: (callback: () => void, ms: number): Timer => {
    const handle = setInterval(callback, Math.min(ms, maxDelayMs));
    return { clear: () => clearInterval(handle), unref: () => void handle.unref() };
  },
  sleep: (ms: number, signal?: AbortSignal) => sleepOn({ setTimeout: startTimeout }, ms, signal),
});
