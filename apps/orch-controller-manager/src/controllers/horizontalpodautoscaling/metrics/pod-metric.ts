import { messageOf } from "../../../shared/message-of.ts";

/** What one pod uses, in thousandths of the metric's unit. */
export interface PodMetric {
  readonly milliValue: number;
  /** When it was measured. */
  readonly timestampMs: number;
  /** Over how long it was measured. */
  readonly windowMs: number;
}

/** Figures by pod name. */
export type PodMetrics = ReadonlyMap<string, PodMetric>;

/** A metric that cannot be had, or makes no sense. The message goes into conditions and events. */
export class MetricError extends Error {
  override readonly name = "MetricError";
}

/** Runs a step; what it throws becomes a {@link MetricError} that says which step failed. */
export async function during<T>(what: string, step: () => T | Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    throw new MetricError(`${what}: ${messageOf(error)}`, { cause: error });
  }
}
