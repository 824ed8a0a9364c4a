/** Time between two counters below which their difference says little about the rate, in milliseconds. */
const minIntervalMs = 1000;

/**
 * The rates of CPU counters, in billionths of a processor: between this call and an earlier one at least a second ago. The first rate
 * of a counter is its mean since it began.
 */
export class CpuRates {
  readonly #last = new Map<string, { readonly timeMs: number; readonly usageNanos: number; readonly rate: number }>();

  /**
   * @param key of the counter; a new incarnation of a container needs a new one
   * @param sinceMs when the counter was 0, in milliseconds since the epoch
   */
  rate(key: string, usageNanos: number, timeMs: number, sinceMs: number | undefined): number | undefined {
    const last = this.#last.get(key);
    if (last !== undefined && timeMs - last.timeMs < minIntervalMs) return last.rate;
    const [fromMs, fromNanos] = last === undefined ? [sinceMs ?? timeMs, 0] : [last.timeMs, last.usageNanos];
    if (timeMs <= fromMs) return undefined;
    // A counter that has gone back has been made again.
    const used = usageNanos >= fromNanos ? usageNanos - fromNanos : usageNanos;
    const rate = Math.round((used / (timeMs - fromMs)) * 1000);
    this.#last.set(key, { timeMs, usageNanos, rate });
    return rate;
  }

  /** Forgets counters that are not among these. */
  keep(keys: ReadonlySet<string>): void {
    for (const key of this.#last.keys()) if (!keys.has(key)) this.#last.delete(key);
  }
}
