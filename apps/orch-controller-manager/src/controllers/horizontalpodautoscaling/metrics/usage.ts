import { milliValueOf } from "@orchernetes/apimachinery";
import type { Pod } from "./pod-groups.ts";
import { MetricError, type PodMetrics } from "./pod-metric.ts";

/** Usage relative to the target. */
export interface Usage {
  /** Actual usage divided by target usage. */
  readonly ratio: number;
  /** Usage in percent of the requests; absent if requests are not relevant. */
  readonly utilization?: number;
  /** Average per pod in thousandths. */
  readonly averageMilli: number;
}

/** Requests for a resource by pod name, in thousandths. @throws MetricError if a container has no request */
export function podRequests(pods: readonly Pod[], resource: string, container: string): ReadonlyMap<string, number> {
  const requests = new Map<string, number>();
  for (const { metadata, spec } of pods) {
    let sum = 0;
    for (const { name, resources } of spec.containers) {
      if (container !== "" && container !== name) continue;
      const request = resources?.requests?.[resource];
      if (request === undefined) {
        throw new MetricError(`missing request for ${resource} in container ${name} of Pod ${metadata.name}`);
      }
      sum += milliValueOf(request);
    }
    requests.set(metadata.name, sum);
  }
  return requests;
}

/**
 * Usage in percent of the requests, relative to a target in percent.
 *
 * @throws MetricError if no metric belongs to a known pod
 */
export function utilizationUsage(
  metrics: PodMetrics,
  requests: ReadonlyMap<string, number>,
  targetUtilization: number,
): Usage {
  let used = 0;
  let requested = 0;
  let count = 0;
  for (const [name, { milliValue }] of metrics) {
    const request = requests.get(name);
    if (request === undefined) continue;
    used += milliValue;
    requested += request;
    count += 1;
  }
  if (requested === 0) throw new MetricError("no metrics returned matched known pods");
  const utilization = Math.trunc((used * 100) / requested);
  return { ratio: utilization / targetUtilization, utilization, averageMilli: Math.trunc(used / count) };
}

/** Average usage, relative to a target in thousandths. */
export function averageUsage(metrics: PodMetrics, targetMilli: number): Usage {
  let used = 0;
  for (const { milliValue } of metrics.values()) used += milliValue;
  const averageMilli = Math.trunc(used / metrics.size);
  return { ratio: averageMilli / targetMilli, averageMilli };
}
