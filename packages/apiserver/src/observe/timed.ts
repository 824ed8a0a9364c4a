/** Gets the duration and result of each call; exactly one method is called per call. */
export interface CallObserver<T> {
  returned(seconds: number, value: T): void;
  threw(seconds: number, error: unknown): void;
}

/**
 * Wraps a function so that the duration of each call is reported, up to the end of the promise that it may return.
 * Synchronous calls stay synchronous: no promise is created for them.
 */
export function timed<A, B, T>(
  call: (a: A, b: B) => T | Promise<T>,
  observer: CallObserver<T>,
): (a: A, b: B) => T | Promise<T> {
  return (a, b) => {
    const startMs = performance.now();
    let value: T | Promise<T>;
    try {
      value = call(a, b);
    } catch (error) {
      observer.threw(secondsSince(startMs), error);
      throw error;
    }
    if (!(value instanceof Promise)) {
      observer.returned(secondsSince(startMs), value);
      return value;
    }
    return value.then(
      (late) => {
        observer.returned(secondsSince(startMs), late);
        return late;
      },
      (error: unknown) => {
        observer.threw(secondsSince(startMs), error);
        throw error;
      },
    );
  };
}

const secondsSince = (startMs: number): number => (performance.now() - startMs) / 1000;
