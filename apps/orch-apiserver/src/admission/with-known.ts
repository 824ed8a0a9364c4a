/**
 * Goes on with a value: at once if it is known, else when it is there. What a plugin asks for is in the watch cache nearly
 * always, and then the write goes through admission in one piece.
 */
export function withKnown<T, R>(value: T | Promise<T>, next: (value: T) => R): R | Promise<Awaited<R>> {
  return value instanceof Promise ? (value.then(next) as Promise<Awaited<R>>) : next(value);
}
