import { flagSection } from "../flag.ts";

/** The flags of the metrics page, the same for every program that serves one. */
export const metricFlags = flagSection("Metrics", {
  "allow-metric-labels": {
    type: "stringToString",
    default: {},
    validate: (map) =>
      [...map.keys()].every((key) => /^[^,]+,[^,]+$/.test(key)) ? undefined : "metric,label=value,value pairs",
    help: 'Values a label of a metric may take, as "metric,label=value,value"; every other value is reported as "unexpected". May be repeated.',
  },
  "disabled-metrics": {
    type: "strings",
    default: [],
    help: "Full names of metrics that are neither collected nor shown. Stronger than showing hidden metrics.",
  },
  "show-hidden-metrics-for-version": {
    type: "string",
    default: "",
    oneOf: ["", "1.26"],
    effect: "none",
    help: "Shows again the metrics that were hidden in this <major>.<minor> version; only the previous minor version is accepted.",
  },
});
