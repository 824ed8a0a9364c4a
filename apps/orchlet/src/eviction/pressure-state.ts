import { type PressureKind, type SignalReadings, signalMeanings } from "./signals.ts";
import { type Threshold, thresholdsMet } from "./thresholds.ts";

/** The state between two checks of the signals. Times are monotonic, in milliseconds. */
export interface PressureState {
  /** When each threshold that is met was first met. */
  readonly metSinceMs: ReadonlyMap<Threshold, number>;
  /** When each kind of pressure was last seen. */
  readonly seenAtMs: ReadonlyMap<PressureKind, number>;
  /** Thresholds that pods are evicted for. */
  readonly due: readonly Threshold[];
}

/** The state before the first check: no threshold is met. */
export const noPressure: PressureState = { metSinceMs: new Map(), seenAtMs: new Map(), due: [] };

/**
 * The state after another check of the signals. Pure. A threshold is met while its signal is below it, and, once pods are evicted
 * for it, until the minimum reclaim is available, too; it is due when it has been met for its grace period.
 *
 * @param thresholds the same objects at each check
 */
export function nextPressure(
  before: PressureState,
  thresholds: readonly Threshold[],
  readings: SignalReadings,
  nowMs: number,
): PressureState {
  const met = new Set([
    ...thresholdsMet(thresholds, readings, { withReclaim: false }),
    ...thresholdsMet(before.due, readings, { withReclaim: true }),
  ]);
  const metSinceMs = new Map([...met].map((one) => [one, before.metSinceMs.get(one) ?? nowMs]));
  const seenAtMs = new Map(before.seenAtMs);
  for (const { signal } of met) seenAtMs.set(signalMeanings[signal].pressure, nowMs);
  const due = [...metSinceMs].flatMap(([one, sinceMs]) => (nowMs - sinceMs >= one.graceMs ? [one] : []));
  return { metSinceMs, seenAtMs, due: memoryFirst(due) };
}

/**
 * The pressure that the node's conditions show: also for some time after it was last seen (`evictionPressureTransitionPeriod`). Otherwise they
 * would oscillate, and pods would be scheduled to the node between two evictions. Pure.
 */
export function shownPressure(
  { metSinceMs, seenAtMs }: PressureState,
  transitionMs: number,
  nowMs: number,
): Readonly<Record<PressureKind, boolean>> {
  const now = new Set([...metSinceMs.keys()].map(({ signal }) => signalMeanings[signal].pressure));
  const shown = (kind: PressureKind): boolean => {
    const seenMs = seenAtMs.get(kind);
    return now.has(kind) || (seenMs !== undefined && nowMs - seenMs < transitionMs);
  };
  return { memory: shown("memory"), disk: shown("disk"), pids: shown("pids") };
}

/** Memory comes first: a shortage of memory endangers the node itself sooner than others. */
const memoryFirst = (thresholds: readonly Threshold[]): readonly Threshold[] =>
  thresholds.toSorted((a, b) => Number(isMemory(b)) - Number(isMemory(a)));

const isMemory = ({ signal }: Threshold): boolean => signalMeanings[signal].resource === "memory";
