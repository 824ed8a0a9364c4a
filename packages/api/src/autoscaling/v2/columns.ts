import type { ApiObject, Column } from "@orchernetes/apimachinery";
import { age, column, firstFew, name } from "../../shared/columns.ts";
import type { HorizontalPodAutoscaler, MetricSpec, MetricStatus, MetricTarget, MetricValueStatus } from "./types.ts";

const maxMetrics = 2;

type Source = { readonly target: MetricTarget } | undefined;
type Current = { readonly current: MetricValueStatus } | undefined;

function sourceOf(metric: MetricSpec): Source {
  return metric.object ?? metric.pods ?? metric.resource ?? metric.containerResource ?? metric.external;
}

function currentOf(status: MetricStatus | undefined): MetricValueStatus | undefined {
  const current: Current =
    status?.object ?? status?.pods ?? status?.resource ?? status?.containerResource ?? status?.external;
  return current?.current;
}

function metricText(metric: MetricSpec, status: MetricStatus | undefined): string {
  const target = sourceOf(metric)?.target;
  const current = currentOf(status);
  if (metric.type === "Resource" || metric.type === "ContainerResource") {
    if (target?.averageValue !== undefined) {
      return `${current?.averageValue ?? "<unknown>"}/${target.averageValue}`;
    }
    const wanted = target?.averageUtilization === undefined ? "<auto>" : `${target.averageUtilization}%`;
    const used = current?.averageUtilization === undefined ? "<unknown>" : `${current.averageUtilization}%`;
    return `${used}/${wanted}`;
  }
  if (metric.type === "Pods") {
    return `${current?.averageValue ?? "<unknown>"}/${target?.averageValue ?? ""}`;
  }
  return target?.averageValue === undefined
    ? `${current?.value ?? "<unknown>"}/${target?.value ?? ""}`
    : `${current?.averageValue ?? "<unknown>"}/${target.averageValue} (avg)`;
}

function targetsText({ spec, status }: HorizontalPodAutoscaler): string {
  const metrics = spec.metrics ?? [];
  const texts = metrics.map((metric, i) => metricText(metric, status.currentMetrics?.[i]));
  return texts.length === 0 ? "<none>" : firstFew(texts, maxMetrics, ", ");
}

/** Columns of autoscalers of both versions; `toV2` converts an object. */
export function autoscalerColumns<T extends ApiObject>(toV2: (object: T) => HorizontalPodAutoscaler): Column<T>[] {
  return [
    name(),
    column("Reference", "string", "The object that is scaled.", (object) => {
      const { kind, name: target } = toV2(object).spec.scaleTargetRef;
      return `${kind}/${target}`;
    }),
    column("Targets", "string", "Current and target value of each metric.", (object) => targetsText(toV2(object))),
    column("MinPods", "string", "Lowest number of pods.", (object) => {
      const { minReplicas } = toV2(object).spec;
      return minReplicas === undefined ? "<unset>" : String(minReplicas);
    }),
    column("MaxPods", "string", "Highest number of pods.", (object) => toV2(object).spec.maxReplicas),
    column("Replicas", "string", "Number of pods now.", (object) => toV2(object).status.currentReplicas ?? 0),
    age(),
  ];
}
