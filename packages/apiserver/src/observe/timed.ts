/** Gets the duration and result of each call; exactly one method is called per call. */
export interface CallObserver<T> {
  returned(seconds: number, value: T): void;
  threw(seconds: number, error: unknown): void;
}

/** Measures time. */
export interface Stopwatch {
  /** The present, in milliseconds from an arbitrary beginning. */
  start(): number;
  secondsSince(startMs: number): number;
}

const systemStopwatch: Stopwatch = {
  start: () => performance.now(),
  secondsSince: (startMs) => (performance.now() - startMs) / 1000,
};

/**
 * Wraps a function so that the duration of each call is reported, up to the end of the promise that it may return.
 * Synchronous calls stay synchronous: no promise is created for them.
 *
 * @param stopwatch measures the calls @default by the system's clock
 */
export function timed<A, B, T>(
  call: (a: A, b: B) => T | Promise<T>,
  observer: CallObserver<T>,
  stopwatch: Stopwatch = systemStopwatch,
): (a: A, b: B) => T | Promise<T> {
  return (a, b) => {
    const startMs = stopwatch.start();
    let value: T | Promise<T>;
    try {
      value = call(a, b);
    } catch (error) {
      observer.threw(stopwatch.secondsSince(startMs), error);
      throw error;
    }
    if (!(value instanceof Promise)) {
      observer.returned(stopwatch.secondsSince(startMs), value);
      return value;
    }
    return value.then(
      (late) => {
        observer.returned(stopwatch.secondsSince(startMs), late);
        return late;
      },
      (error: unknown) => {
        observer.threw(stopwatch.secondsSince(startMs), error);
        throw error;
      },
    );
  };
}
