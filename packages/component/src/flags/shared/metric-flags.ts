import { version } from "../../version.ts";
import { flagSection } from "../flag.ts";

const labelKey = /^[a-zA-Z_:][a-zA-Z0-9_:]*,[a-zA-Z_][a-zA-Z0-9_]*$/;
const previousMinor = `${version.major}.${Number.parseInt(version.minor, 10) - 1}`;

/** The flags of the metrics page, the same for every program that serves one. */
export const metricFlags = flagSection("Metrics", {
  "allow-metric-labels": {
    type: "stringToString",
    default: {},
    validate: (map) =>
      [...map.keys()].every((key) => labelKey.test(key)) ? undefined : "metricName,labelName=labelValue,labelValue,...",
    help: `Allowed values of a metric's label, as metric,label=value,value or metric,label='value,value'; every other value is reported as "unexpected". May be repeated.`,
  },
  "disabled-metrics": {
    type: "strings",
    default: [],
    help: "Full names of metrics to disable. Takes precedence over showing hidden metrics.",
  },
  "show-hidden-metrics-for-version": {
    type: "string",
    default: "",
    validate: (text) => (text === "" || text === previousMinor ? undefined : previousMinor),
    refusal: `--show-hidden-metrics-for-version must be omitted or have the value '${previousMinor}'. Only the previous minor version is allowed`,
    help: "Shows again the metrics that were hidden in this <major>.<minor> version; only the previous minor version is accepted.",
  },
});
