/**
 * Runs a job for each item in turn, continuing after failures.
 * @throws AggregateError of all failures, after the last item
 */
export async function eachDespite<T>(items: Iterable<T>, job: (item: T) => Promise<void>): Promise<void> {
  const failures: unknown[] = [];
  for (const item of items) await job(item).catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw new AggregateError(failures, failures.map(String).join("; "));
}
