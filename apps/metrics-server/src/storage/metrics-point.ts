/** The counters of a node or container at one time. */
export interface MetricsPoint {
  /** When the CPU counter was 0, in milliseconds since the epoch; 0 if it is unknown. */
  readonly startMs: number;
  /** When the CPU counter was read, in milliseconds since the epoch. */
  readonly timestampMs: number;
  /** CPU time since the start, in seconds. */
  readonly cpuSeconds: number;
  /** Working set in bytes. */
  readonly memoryBytes: number;
}

/** What was used between two points. */
export interface Usage {
  /** Billionths of a core. */
  readonly nanoCores: bigint;
  readonly memoryBytes: bigint;
  /** The end of the interval, in milliseconds since the epoch. */
  readonly timestampMs: number;
  /** The length of the interval in milliseconds; more than 0. */
  readonly windowMs: number;
}

/** The largest amount of a quantity. */
const MAX_AMOUNT = 2n ** 63n - 1n;

/**
 * The usage between two points; undefined if their counters are not those of the same start, or claim more than a
 * quantity can hold.
 */
export function usageBetween(prev: MetricsPoint, last: MetricsPoint): Usage | undefined {
  const windowMs = last.timestampMs - prev.timestampMs;
  if (windowMs <= 0 || last.startMs < prev.startMs || last.cpuSeconds < prev.cpuSeconds) return undefined;
  const nanoCores = BigInt(Math.trunc(((last.cpuSeconds - prev.cpuSeconds) * 1e12) / windowMs));
  const memoryBytes = BigInt(Math.trunc(last.memoryBytes));
  if (nanoCores > MAX_AMOUNT || memoryBytes > MAX_AMOUNT) return undefined;
  return { nanoCores, memoryBytes, timestampMs: last.timestampMs, windowMs };
}
