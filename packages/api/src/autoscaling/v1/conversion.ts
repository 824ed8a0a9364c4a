import { type ApiObject, canonicalize, decoderFor, type MessageSchema } from "@orchernetes/apimachinery";
import * as v2 from "../v2/types.ts";
import { cpuUtilization, metricFromV2, metricStatusFromV2, metricStatusToV2, metricToV2 } from "./metric-conversion.ts";
import { HorizontalPodAutoscaler, HorizontalPodAutoscalerCondition, MetricSpec, MetricStatus } from "./types.ts";

const prefix = "autoscaling.alpha.orchernetes.io/";

/**
 * Annotations of autoscaling/v1 that contain what it has no fields for, so that objects survive a round trip through
 * either version.
 */
export const annotations = Object.freeze({
  metrics: `${prefix}metrics`,
  currentMetrics: `${prefix}current-metrics`,
  conditions: `${prefix}conditions`,
  behavior: `${prefix}behavior`,
});

function parse(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The values in an annotation; undefined if it is absent or not valid, in which case it remains an annotation. */
function readList<T>(schema: MessageSchema<T>, text: string | undefined): readonly T[] | undefined {
  const values = parse(text);
  try {
    return Array.isArray(values) ? values.map((value) => decoderFor(schema).decode(value)) : undefined;
  } catch {
    return undefined;
  }
}

/** A value with keys that begin in lower case: older servers wrote them with capitals. */
function camelCased(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(camelCased);
  }
  return typeof value === "object" && value !== null
    ? Object.fromEntries(
        Object.entries(value).map(([key, item]) => [key.slice(0, 1).toLowerCase() + key.slice(1), camelCased(item)]),
      )
    : value;
}

function readBehavior(text: string | undefined): v2.HorizontalPodAutoscalerBehavior | undefined {
  const value = camelCased(parse(text));
  try {
    return typeof value === "object" && value !== null
      ? decoderFor(v2.HorizontalPodAutoscalerBehavior).decode(value)
      : undefined;
  } catch {
    return undefined;
  }
}

const cpuMetric = (averageUtilization: number): v2.MetricSpec => ({
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization } },
});

const cpuStatus = (averageUtilization: number): v2.MetricStatus => ({
  type: "Resource",
  resource: { name: "cpu", current: { averageUtilization } },
});

/** Converts an object to autoscaling/v2. Annotations that could be read become fields. */
export function toV2(object: HorizontalPodAutoscaler): v2.HorizontalPodAutoscaler {
  const texts = object.metadata.annotations ?? {};
  const { targetCPUUtilizationPercentage: target, ...spec } = object.spec;
  const { currentCPUUtilizationPercentage: current, ...status } = object.status;
  const metrics = readList(MetricSpec, texts[annotations.metrics]);
  const currentMetrics = readList(MetricStatus, texts[annotations.currentMetrics]);
  const conditions = readList(HorizontalPodAutoscalerCondition, texts[annotations.conditions]);
  const behavior = readBehavior(texts[annotations.behavior]);
  const read = { metrics, currentMetrics, conditions, behavior };
  const consumed: readonly string[] = Object.entries(read).flatMap(([part, value]) =>
    value === undefined ? [] : [annotations[part as keyof typeof annotations]],
  );
  const rest = Object.entries(texts).filter(([key]) => !consumed.includes(key));
  return canonicalize(v2.HorizontalPodAutoscaler, {
    ...object,
    apiVersion: "autoscaling/v2",
    metadata: { ...object.metadata, annotations: Object.fromEntries(rest) },
    spec: {
      ...spec,
      metrics: [...(metrics ?? []).map(metricToV2), ...(target === undefined ? [] : [cpuMetric(target)])],
      behavior,
    },
    status: { ...status, conditions, currentMetrics: currentMetricsOf(currentMetrics?.map(metricStatusToV2), current) },
  });
}

/**
 * The current metrics. The percentage of the field takes precedence over that of the annotation, which has the absolute
 * value.
 */
function currentMetricsOf(
  metrics: readonly v2.MetricStatus[] | undefined,
  current: number | undefined,
): readonly v2.MetricStatus[] | undefined {
  if (current === undefined) {
    return metrics;
  }
  const isCpu = (metric: v2.MetricStatus): boolean => metric.type === "Resource" && metric.resource?.name === "cpu";
  return (metrics ?? []).some(isCpu)
    ? metrics?.map((metric) =>
        isCpu(metric) && metric.resource !== undefined
          ? {
              ...metric,
              resource: {
                ...metric.resource,
                current: { ...metric.resource.current, averageUtilization: current },
              },
            }
          : metric,
      )
    : [...(metrics ?? []), cpuStatus(current)];
}

/** Converts an object to autoscaling/v1. What has no field there becomes an annotation. */
export function fromV2(stored: ApiObject): HorizontalPodAutoscaler {
  const object = canonicalize(v2.HorizontalPodAutoscaler, stored);
  const { metrics = [], behavior, ...spec } = object.spec;
  const { currentMetrics = [], conditions = [], ...status } = object.status;
  const others = metrics.filter((metric) => cpuUtilization(metric) === undefined);
  const cpu = metrics.find((metric) => cpuUtilization(metric) !== undefined);
  const texts: Record<string, string> = { ...object.metadata.annotations };
  const write = (name: string, values: readonly unknown[]): void => {
    if (values.length > 0) {
      texts[name] = JSON.stringify(values);
    }
  };
  write(
    annotations.metrics,
    others.map((metric) => canonicalize(MetricSpec, metricFromV2(metric))),
  );
  write(
    annotations.currentMetrics,
    currentMetrics.map((metric) => canonicalize(MetricStatus, metricStatusFromV2(metric))),
  );
  write(annotations.conditions, conditions);
  if (behavior !== undefined) {
    texts[annotations.behavior] = JSON.stringify(behavior);
  }
  const measured = currentMetrics.find(({ type, resource }) => type === "Resource" && resource?.name === "cpu");
  return canonicalize(HorizontalPodAutoscaler, {
    ...object,
    apiVersion: "autoscaling/v1",
    metadata: { ...object.metadata, annotations: texts },
    spec: { ...spec, targetCPUUtilizationPercentage: cpu === undefined ? undefined : cpuUtilization(cpu) },
    status: { ...status, currentCPUUtilizationPercentage: measured?.resource?.current.averageUtilization },
  });
}
