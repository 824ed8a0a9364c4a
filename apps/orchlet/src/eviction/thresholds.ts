import { parseDuration } from "@orchernetes/apimachinery";
import { amountBytes, isDisabled, thresholdBytes } from "../node/capacity.ts";
import { type EvictionSignal, evictionSignals, type SignalReadings } from "./signals.ts";

/** A minimum for a signal. */
export interface Threshold {
  readonly signal: EvictionSignal;
  /** As configured: a quantity, or a percentage of the capacity such as `10%`. */
  readonly minimum: string;
  /** How long the signal may be below before pods are evicted; 0 for a hard threshold. */
  readonly graceMs: number;
  /** How much more than the minimum must be available before the shortage counts as over; in the form of {@link minimum}. */
  readonly reclaim: string | undefined;
}

/** The fields of the configuration that define thresholds. */
export interface ThresholdFields {
  readonly evictionHard: Readonly<Record<string, string>>;
  readonly evictionSoft: Readonly<Record<string, string>>;
  readonly evictionSoftGracePeriod: Readonly<Record<string, string>>;
  readonly evictionMinimumReclaim: Readonly<Record<string, string>>;
  readonly enforceNodeAllocatable: readonly string[];
}

/**
 * The thresholds of a configuration: hard ones first. Where the memory of all pods together is limited, the hard threshold of the node's
 * memory also holds for what is left of that limit.
 */
export function evictionThresholds(fields: ThresholdFields): readonly Threshold[] {
  const { evictionHard, evictionSoft, evictionSoftGracePeriod, evictionMinimumReclaim } = fields;
  const of = (minimums: Readonly<Record<string, string>>, graceMsOf: (signal: string) => number): Threshold[] =>
    evictionSignals.flatMap((signal) => {
      const minimum = minimums[signal];
      if (minimum === undefined || isDisabled(minimum)) return [];
      return [{ signal, minimum, graceMs: graceMsOf(signal), reclaim: evictionMinimumReclaim[signal] }];
    });
  const hard = of(evictionHard, () => 0);
  const soft = of(evictionSoft, (signal) => parseDuration(evictionSoftGracePeriod[signal] ?? "0s"));
  const ofPods = fields.enforceNodeAllocatable.includes("pods")
    ? hard.flatMap((one): Threshold[] =>
        one.signal === "memory.available" ? [{ ...one, signal: "allocatableMemory.available" }] : [],
      )
    : [];
  return [...hard, ...soft, ...ofPods];
}

/** Whether pods are evicted as soon as a threshold is met. */
export const isHard = ({ graceMs }: Threshold): boolean => graceMs === 0;

/**
 * The thresholds that are met: their signals are below them. One whose signal could not be read is not. Pure.
 *
 * @param withReclaim whether the minimum reclaim counts, too: the signal must be above both
 */
export function thresholdsMet(
  thresholds: readonly Threshold[],
  readings: SignalReadings,
  { withReclaim }: { readonly withReclaim: boolean },
): readonly Threshold[] {
  return thresholds.filter(({ signal, minimum, reclaim }) => {
    const reading = readings.get(signal);
    if (reading === undefined) return false;
    const more = withReclaim && reclaim !== undefined ? amountBytes(reclaim, reading.capacity) : 0;
    return reading.available < thresholdBytes(minimum, reading.capacity) + more;
  });
}
