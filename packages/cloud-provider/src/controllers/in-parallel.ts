/** Works on all items, at most `workers` at a time; resolves when all are done. Rejects with the first error of `work`. */
export async function inParallel<T>(
  items: readonly T[],
  workers: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const rest = items.values();
  const worker = async (): Promise<void> => {
    for (const item of rest) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(workers, items.length) }, worker));
}
