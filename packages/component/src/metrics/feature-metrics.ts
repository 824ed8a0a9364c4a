import type { FeatureGates, FeatureTable } from "../features/feature-gates.ts";
import type { Metrics } from "./create-metrics.ts";

const stages: Readonly<Record<string, string>> = { Alpha: "ALPHA", Beta: "BETA", GA: "", Deprecated: "DEPRECATED" };

/** Adds `orchernetes_feature_enabled`: 1 for every enabled feature, 0 for the others. */
export function addFeatureMetrics<T extends FeatureTable>(
  metrics: Metrics,
  table: T,
  gates: Pick<FeatureGates<keyof T & string>, "enabled">,
): void {
  const gauge = metrics.gauge({
    name: "orchernetes_feature_enabled",
    help: "1 if the feature is enabled, 0 otherwise, by name and stage.",
    stability: "BETA",
    labelNames: ["name", "stage"],
  });
  for (const [name, { stage }] of Object.entries(table))
    gauge.set(gates.enabled(name) ? 1 : 0, [name, stages[stage] ?? ""]);
}
