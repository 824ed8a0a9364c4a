/** Bounds of latencies, in seconds, as the original has them for requests and for calls of the store. */
export const requestLatencyBuckets: readonly number[] = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
];

/** Bounds of the latencies that service level objectives are about. */
export const objectiveBuckets: readonly number[] = requestLatencyBuckets.slice(2);
