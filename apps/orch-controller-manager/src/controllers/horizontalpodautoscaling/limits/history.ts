/** The number of replicas that the metrics called for at one time. */
interface Recommendation {
  readonly replicas: number;
  readonly atMs: number;
}

/** A change of the number of replicas, as a positive number. */
export interface ScaleEvent {
  readonly change: number;
  readonly atMs: number;
}

/** Past recommendations and scale events of an autoscaler, in no particular order. */
export interface ScalingHistory {
  readonly recommendations: readonly Recommendation[];
  readonly ups: readonly ScaleEvent[];
  readonly downs: readonly ScaleEvent[];
}

/** The history of a new autoscaler. */
export const emptyHistory: ScalingHistory = Object.freeze({ recommendations: [], ups: [], downs: [] });

/** The maximum window and policy period that the API allows, in milliseconds. Older entries never apply. */
const memoryMs = 3_600_000;

/** Adds a recommendation, and drops those that are too old to apply. */
export function remember(
  history: ScalingHistory,
  replicas: number,
  now: Date,
  windowMs: number = memoryMs,
): ScalingHistory {
  const sinceMs = now.getTime() - Math.max(windowMs, memoryMs);
  const recent = history.recommendations.filter(({ atMs }) => atMs >= sinceMs);
  return { ...history, recommendations: [...recent, { replicas, atMs: now.getTime() }] };
}

/** Adds a scale event, and drops those that are too old to apply. */
export function rememberScale(history: ScalingHistory, from: number, to: number, now: Date): ScalingHistory {
  if (from === to) return history;
  const sinceMs = now.getTime() - memoryMs;
  const event = { change: Math.abs(to - from), atMs: now.getTime() };
  const after = (events: readonly ScaleEvent[]): readonly ScaleEvent[] => [
    ...events.filter(({ atMs }) => atMs >= sinceMs),
    event,
  ];
  return to > from ? { ...history, ups: after(history.ups) } : { ...history, downs: after(history.downs) };
}

/** Sum of the changes in the last `seconds` seconds. */
export function changeWithin(events: readonly ScaleEvent[], seconds: number, now: Date): number {
  const sinceMs = now.getTime() - seconds * 1000;
  let sum = 0;
  for (const { change, atMs } of events) if (atMs > sinceMs) sum += change;
  return sum;
}
