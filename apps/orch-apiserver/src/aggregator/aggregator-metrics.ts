import type { Metrics } from "@orchernetes/component";
import { type ApiServiceTable, isAvailable } from "./api-service-table.ts";

/** Creates the metrics about unavailable APIServices. Returns the function that counts an APIService that became unavailable. */
export function aggregatorMetrics(
  metrics: Metrics,
  table: Pick<ApiServiceTable, "all">,
): (name: string, reason: string) => void {
  metrics.gauge({
    name: "aggregator_unavailable_apiservice",
    help: "Whether an APIService is unavailable: 1, or 0.",
    labelNames: ["name"],
    collect: (gauge) => {
      gauge.reset();
      for (const [name, apiService] of table.all()) gauge.set(isAvailable(apiService) ? 0 : 1, [name]);
    },
  });
  const total = metrics.counter({
    name: "aggregator_unavailable_apiservice_total",
    help: "How often an APIService became unavailable, by the reason.",
    labelNames: ["name", "reason"],
  });
  return (name, reason) => total.inc([name, reason]);
}
