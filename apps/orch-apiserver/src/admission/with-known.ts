/**
 * Continues with a value: at once if it is known, else when it is available. What a plugin needs is in the watch cache nearly
 * always, and then admission of the write does not yield.
 */
export function withKnown<T, R>(value: T | Promise<T>, next: (value: T) => R): R | Promise<Awaited<R>> {
  return value instanceof Promise ? (value.then(next) as Promise<Awaited<R>>) : next(value);
}
