/**
 * The flags of orch-proxy.
 *
 * @module
 */
import { featureGateFlags, fieldsWithoutEffectOf, logFlags, metricFlags } from "@orchernetes/component";
import { conntrackSection } from "./conntrack.ts";
import { ipvsSection } from "./ipvs.ts";
import { processSection } from "./process.ts";
import { routingSection } from "./routing.ts";
import { servingSection } from "./serving.ts";

const featureGates = featureGateFlags("Feature gates");

/** Every flag of orch-proxy but `help` and `version`, which every daemon has. */
export const orchProxyFlags = {
  ...processSection,
  ...servingSection,
  ...routingSection,
  ...conntrackSection,
  ...ipvsSection,
  "feature-gates": { ...featureGates["feature-gates"], field: "featureGates" },
  ...metricFlags,
  "show-hidden-metrics-for-version": {
    ...metricFlags["show-hidden-metrics-for-version"],
    field: "showHiddenMetricsForVersion",
  },
  ...logFlags,
} as const;

/** Fields of the configuration document that are accepted and checked, but have no effect. */
export const fieldsWithoutEffect: readonly string[] = [
  ...new Set([...fieldsWithoutEffectOf(orchProxyFlags), "portRange", "winkernel"]),
];
