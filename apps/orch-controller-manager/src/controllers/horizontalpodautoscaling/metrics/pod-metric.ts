import { messageOf } from "@orchernetes/kernel";

/** A metric of one pod, in thousandths of its unit. */
export interface PodMetric {
  readonly milliValue: number;
  /** Time of the measurement, in milliseconds since the epoch. */
  readonly timestampMs: number;
  /** Length of the measurement, in milliseconds. */
  readonly windowMs: number;
}

/** Metrics by pod name. */
export type PodMetrics = ReadonlyMap<string, PodMetric>;

/** A metric is not available or invalid. The message is shown in conditions and events. */
export class MetricError extends Error {
  override readonly name = "MetricError";
}

/** The autoscaler itself is wrong: trying again does not help. The message is shown in conditions and events. */
export class SpecError extends Error {
  override readonly name = "SpecError";
}

/** Runs a step, and converts its errors to a {@link MetricError} that names the step. */
export async function during<T>(what: string, step: () => T | Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    throw new MetricError(`${what}: ${messageOf(error)}`, { cause: error });
  }
}
