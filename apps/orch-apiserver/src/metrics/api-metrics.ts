import type { ApiMetrics } from "@orchernetes/apiserver";
import type { Metrics } from "@orchernetes/component";
import { type AdmissionMetrics, admissionMetrics } from "./admission-metrics.ts";
import { filterMetrics } from "./filter-metrics.ts";
import { requestMetrics } from "./request-metrics.ts";
import type { ServedResource } from "./request-series.ts";
import { watchMetrics } from "./watch-metrics.ts";

/**
 * The metrics of the generic server: the original's names, labels and buckets under the naming rule.
 * @param served returns the resource that a request is for
 * @param admission of the same `metrics`, if it exists already
 */
export function apiMetrics(
  metrics: Metrics,
  served: ServedResource,
  admission: AdmissionMetrics = admissionMetrics(metrics),
): ApiMetrics {
  return {
    ...requestMetrics(metrics, served),
    ...filterMetrics(metrics),
    ...watchMetrics(metrics),
    ...admission,
  };
}
