import type { Metrics } from "@orchernetes/component";
import { type ApiServiceTable, isAvailable } from "./api-service-table.ts";

/** Creates the metrics about unavailable APIServices. Returns the function that counts an APIService that became unavailable. */
export function aggregatorMetrics(
  metrics: Metrics,
  table: Pick<ApiServiceTable, "all">,
): (name: string, reason: string) => void {
  metrics.gauge({
    name: "aggregator_unavailable_apiservice",
    help: "1 if the APIService is unavailable, 0 otherwise.",
    labelNames: ["name"],
    collect: (gauge) => {
      gauge.reset();
      for (const [name, apiService] of table.all()) gauge.set(isAvailable(apiService) ? 0 : 1, [name]);
    },
  });
  const total = metrics.counter({
    name: "aggregator_unavailable_apiservice_total",
    help: "Number of times that an APIService became unavailable, by reason.",
    labelNames: ["name", "reason"],
  });
  return (name, reason) => total.inc([name, reason]);
}
