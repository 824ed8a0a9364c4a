import type { ApiMetrics, RequestInfo } from "@orchernetes/apiserver";
import type { Metrics } from "@orchernetes/component";
import { admissionMetrics } from "./admission-metrics.ts";
import { filterMetrics } from "./filter-metrics.ts";
import { requestMetrics } from "./request-metrics.ts";
import { watchMetrics } from "./watch-metrics.ts";

/**
 * The metrics of the generic server: the original's names, labels and buckets under the naming rule.
 * @param isServed whether there is such a resource, with such a subresource
 */
export function apiMetrics(metrics: Metrics, isServed: (info: RequestInfo) => boolean): ApiMetrics {
  return {
    ...requestMetrics(metrics, isServed),
    ...filterMetrics(metrics),
    ...watchMetrics(metrics),
    ...admissionMetrics(metrics),
  };
}
