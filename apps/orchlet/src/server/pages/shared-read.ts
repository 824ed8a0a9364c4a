/**
 * Makes concurrent callers share one read: a call during a read gets its result. Many clients cost no more than one that reads
 * continuously.
 */
export function sharedRead<T>(read: () => Promise<T>): () => Promise<T> {
  let current: Promise<T> | undefined;
  return () => {
    current ??= read().finally(() => {
      current = undefined;
    });
    return current;
  };
}
