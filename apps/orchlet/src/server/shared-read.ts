/**
 * Makes concurrent callers share one read: whoever calls while one is under way gets its result. Many clients cost no more than one
 * that asks again and again.
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
