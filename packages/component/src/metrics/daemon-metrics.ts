import type { FlagValues } from "../flags/flag.ts";
import type { metricFlags } from "../flags/shared/metric-flags.ts";
import { version } from "../version.ts";
import { createMetrics, type Metrics } from "./create-metrics.ts";
import { addProcessMetrics } from "./process-metrics.ts";

/**
 * The registry of a daemon as its flags configure it, with the metrics that every daemon exports about itself.
 * @param flags the values of `metricFlags`
 * @param signal ends the watch of the event loop
 */
export function createDaemonMetrics(flags: FlagValues<typeof metricFlags>, signal: AbortSignal): Metrics {
  const metrics = createMetrics({
    disabled: flags["disabled-metrics"],
    allowLabels: flags["allow-metric-labels"],
    showHidden: flags["show-hidden-metrics-for-version"],
  });
  addProcessMetrics(metrics, version, signal);
  return metrics;
}
