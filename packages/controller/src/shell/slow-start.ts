/** The result of a batch of calls. */
export interface SlowStartResult {
  readonly succeeded: number;
  /** Calls that were never made. */
  readonly skipped: number;
  /** The first failure. */
  readonly error: unknown;
}

/**
 * Makes `count` calls in groups of 1, 2, 4, 8, … and stops after the first group with a failure. When every call would fail, for
 * example because of a quota or a webhook, few are made; when they succeed, the groups soon contain all remaining calls.
 */
export async function slowStartBatch(
  count: number,
  call: (index: number) => Promise<unknown>,
  initialBatchSize = 1,
): Promise<SlowStartResult> {
  let done = 0;
  let succeeded = 0;
  for (let size = Math.min(count, initialBatchSize); size > 0; size = Math.min(2 * size, count - done)) {
    const start = done;
    const results = await Promise.allSettled(Array.from({ length: size }, (_, i) => call(start + i)));
    done += size;
    let failed: PromiseRejectedResult | undefined;
    for (const result of results) {
      if (result.status === "fulfilled") succeeded += 1;
      else failed ??= result;
    }
    if (failed !== undefined) return { succeeded, skipped: count - done, error: failed.reason };
  }
  return { succeeded, skipped: 0, error: undefined };
}
