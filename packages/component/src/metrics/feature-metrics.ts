import type { FeatureGates, FeatureTable } from "../features/feature-gates.ts";
import type { Metrics } from "./create-metrics.ts";

const stages: Readonly<Record<string, string>> = { Alpha: "ALPHA", Beta: "BETA", GA: "", Deprecated: "DEPRECATED" };

/** Adds `orchernetes_feature_enabled`: 1 for every feature that is on, 0 for the others. */
export function addFeatureMetrics<N extends string>(
  metrics: Metrics,
  table: FeatureTable,
  gates: Pick<FeatureGates<N>, "all">,
): void {
  const gauge = metrics.gauge({
    name: "orchernetes_feature_enabled",
    help: "1 for a feature that is on, else 0, by name and stage.",
    stability: "BETA",
    labelNames: ["name", "stage"],
  });
  for (const [name, on] of gates.all()) gauge.set(on ? 1 : 0, [name, stages[table[name]?.stage ?? ""] ?? ""]);
}
