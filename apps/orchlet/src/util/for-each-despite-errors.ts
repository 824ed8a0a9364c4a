/**
 * Runs a job for each item, one after the other. A failure does not prevent the jobs of the remaining items: one
 * container or folder that cannot be removed must not keep all others.
 *
 * @throws AggregateError with all failures, after the last item
 */
export async function forEachDespiteErrors<T>(items: Iterable<T>, job: (item: T) => Promise<void>): Promise<void> {
  const failures: unknown[] = [];
  for (const item of items) await job(item).catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw new AggregateError(failures, failures.map(String).join("; "));
}
