import { milliValueOf } from "@orchernetes/apimachinery";
import { MetricError } from "./pod-metric.ts";

/** An item of `metrics.o8s.io/v1beta1` PodMetricsList. */
export interface PodUsage {
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly timestamp: string;
  /** A duration such as `30s`. */
  readonly window?: string;
  readonly containers?: readonly { readonly name: string; readonly usage?: Readonly<Record<string, string>> }[];
}

/** An item of a MetricValueList of the custom or the external metrics API, whatever its version. */
export interface MetricValue {
  readonly describedObject?: { readonly name?: string };
  readonly timestamp: string;
  readonly windowSeconds?: number;
  /** A quantity. */
  readonly value: string;
}

/** A quantity in thousandths. @throws QuantityError */
export const amountOf = (quantity: string): number => milliValueOf(String(quantity));

/**
 * The usage of a resource by a pod, or by one of its containers, in thousandths; undefined if a value is missing.
 *
 * @param container "" for the whole pod
 * @throws MetricError when the pod has no such container
 */
export function podUsage(item: PodUsage, resource: string, container: string): number | undefined {
  const { metadata, containers = [] } = item;
  const counted = container === "" ? containers : containers.filter(({ name }) => name === container);
  if (container !== "" && counted.length === 0) {
    const pod = `${metadata.namespace ?? ""}/${metadata.name}`;
    throw new MetricError(
      `failed to get container metrics: container ${container} not present in metrics for pod ${pod}`,
    );
  }
  let sum = 0;
  for (const { usage = {} } of counted) {
    const used = Object.hasOwn(usage, resource) ? usage[resource] : undefined;
    if (used === undefined) return undefined;
    sum += amountOf(used);
  }
  return sum;
}
