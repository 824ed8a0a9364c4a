import { isPodReady } from "@orchernetes/component-helpers";
import { groupPods, type Pod, type ReadinessRules } from "./pod-groups.ts";
import { MetricError, type PodMetric, type PodMetrics } from "./pod-metric.ts";
import { averageUsage, podRequests, type Usage, utilizationUsage } from "./usage.ts";

/** The settings for computing replicas. */
export interface CountRules extends ReadinessRules {
  /** Maximum deviation of the usage ratio from 1 that causes no scaling. */
  readonly tolerance: number;
}

/** A number of replicas, and the metric value from which it was computed. */
export interface ReplicaCount {
  readonly replicas: number;
  /** Average per pod, or the value of a whole object, in thousandths. */
  readonly usageMilli: number;
  readonly utilization?: number;
}

/** The pods of the target and their metrics. */
export interface PodFigures {
  readonly currentReplicas: number;
  readonly pods: readonly Pod[];
  readonly metrics: PodMetrics;
  /** Name of a resource, "" for other metrics. */
  readonly resource: string;
}

/**
 * The number of replicas with which the usage of a resource is a given percentage of the pods' requests.
 *
 * @param container container whose usage is compared; "" for the whole pod
 * @throws MetricError
 */
export function utilizationReplicas(
  figures: PodFigures,
  targetUtilization: number,
  container: string,
  rules: CountRules,
  now: Date,
): ReplicaCount {
  const requests = (): ReadonlyMap<string, number> => podRequests(figures.pods, figures.resource, container);
  // A pod without metrics is assumed to use its whole request, or the target if that is higher.
  const fallback = Math.max(100, targetUtilization);
  return podReplicas(figures, rules, now, () => {
    const known = requests();
    return {
      usageOf: (metrics) => utilizationUsage(metrics, known, targetUtilization),
      fallbackOf: (name) => Math.trunc(((known.get(name) ?? 0) * fallback) / 100),
    };
  });
}

/** The number of replicas with which the average of a metric is the target, in thousandths. @throws MetricError */
export function averageReplicas(figures: PodFigures, targetMilli: number, rules: CountRules, now: Date): ReplicaCount {
  return podReplicas(figures, rules, now, () => ({
    usageOf: (metrics) => averageUsage(metrics, targetMilli),
    fallbackOf: () => targetMilli,
  }));
}

interface Measure {
  usageOf(metrics: PodMetrics): Usage;
  /** The assumed usage of a pod without metrics when the others use too little. */
  fallbackOf(pod: string): number;
}

/** The replicas for a metric of the pods, with assumptions about pods whose metrics are missing. */
function podReplicas(
  { currentReplicas, pods, metrics: all, resource }: PodFigures,
  rules: CountRules,
  now: Date,
  measureOf: () => Measure,
): ReplicaCount {
  if (pods.length === 0) throw noPods();
  const { readyCount, unready, missing, ignored } = groupPods(pods, all, resource, rules, now);
  const metrics = new Map<string, PodMetric>();
  for (const [name, metric] of all) if (!ignored.has(name) && !unready.has(name)) metrics.set(name, metric);
  if (metrics.size === 0) {
    throw new MetricError("did not receive metrics for targeted pods (pods might be unready)");
  }
  const measure = measureOf();
  const { ratio, utilization, averageMilli } = measure.usageOf(metrics);
  const answer = (replicas: number): ReplicaCount => ({
    replicas,
    usageMilli: averageMilli,
    ...(utilization === undefined ? {} : { utilization }),
  });
  const upWithUnready = unready.size > 0 && ratio > 1;
  if (!upWithUnready && missing.size === 0) {
    return answer(isTolerable(ratio, rules) ? currentReplicas : Math.ceil(ratio * readyCount));
  }
  // Pods without valid metrics are assumed to dampen the change in either direction.
  const assume = (name: string, milliValue: number): void =>
    void metrics.set(name, { milliValue, timestampMs: 0, windowMs: 0 });
  if (ratio < 1) for (const name of missing) assume(name, measure.fallbackOf(name));
  else if (ratio > 1) for (const name of missing) assume(name, 0);
  if (upWithUnready) for (const name of unready) assume(name, 0);
  const damped = measure.usageOf(metrics).ratio;
  if (isTolerable(damped, rules) || (ratio < 1 && damped > 1) || (ratio > 1 && damped < 1)) {
    return answer(currentReplicas);
  }
  const replicas = Math.ceil(damped * metrics.size);
  const turned = (damped < 1 && replicas > currentReplicas) || (damped > 1 && replicas < currentReplicas);
  return answer(turned ? currentReplicas : replicas);
}

/**
 * The number of replicas in proportion to the ratio of a value to its target, both in thousandths.
 *
 * @throws MetricError without pods
 */
export function valueReplicas(
  usageMilli: number,
  targetMilli: number,
  currentReplicas: number,
  pods: readonly Pod[],
  rules: CountRules,
): ReplicaCount {
  const ratio = usageMilli / targetMilli;
  if (currentReplicas === 0) return { replicas: Math.ceil(ratio), usageMilli };
  if (isTolerable(ratio, rules)) return { replicas: currentReplicas, usageMilli };
  if (pods.length === 0) throw new MetricError(`unable to calculate ready pods: ${noPods().message}`);
  const ready = pods.filter((pod) => pod.status?.phase === "Running" && isPodReady(pod)).length;
  return { replicas: Math.ceil(ratio * ready), usageMilli };
}

/**
 * The number of replicas with which the share of each replica is the target; the resulting usage is the current share.
 * In thousandths.
 */
export function perPodReplicas(
  usageMilli: number,
  targetMilli: number,
  statusReplicas: number,
  rules: CountRules,
): ReplicaCount {
  const ratio = usageMilli / (targetMilli * statusReplicas);
  const replicas = isTolerable(ratio, rules) ? statusReplicas : Math.ceil(usageMilli / targetMilli);
  return { replicas, usageMilli: statusReplicas === 0 ? usageMilli : Math.ceil(usageMilli / statusReplicas) };
}

const isTolerable = (ratio: number, { tolerance }: CountRules): boolean => Math.abs(1 - ratio) <= tolerance;
const noPods = (): MetricError => new MetricError("no pods returned by selector while calculating replica count");
