import { flagSection } from "@orchernetes/component";

const inFile = "set it in the file of --config, which overrides this flag";

/** Flags whose place is the configuration file; ignored when `--config` is given. */
export const deprecatedSection = flagSection("Deprecated", {
  orchconfig: {
    type: "string",
    default: "",
    deprecated: inFile,
    help: "Client configuration file: how to reach the API server and authenticate to it.",
  },
  "orch-api-qps": {
    type: "float",
    default: 50,
    min: 0,
    deprecated: inFile,
    help: "Queries per second to the API server.",
  },
  "orch-api-burst": {
    type: "int",
    default: 100,
    min: 0,
    deprecated: inFile,
    help: "Burst of queries to the API server.",
  },
  "orch-api-content-type": {
    type: "string",
    default: "application/vnd.orchernetes.protobuf",
    effect: "none",
    deprecated: inFile,
    help: "Content type of requests to the API server.",
  },
  "lock-object-name": {
    type: "string",
    default: "orch-scheduler",
    deprecated: "use --leader-elect-resource-name instead",
    help: "Name of the lock object.",
  },
  "lock-object-namespace": {
    type: "string",
    default: "orch-system",
    deprecated: "use --leader-elect-resource-namespace instead",
    help: "Namespace of the lock object.",
  },
  "pod-max-in-unschedulable-pods-duration": {
    type: "duration",
    default: "5m0s",
    min: 1,
    deprecated: "it will be removed",
    help: "Maximum time that a pod stays among the unschedulable pods before it is retried.",
  },
  profiling: {
    type: "bool",
    default: true,
    deprecated: inFile,
    help: "Serves profiles under /debug/pprof/.",
  },
  "contention-profiling": {
    type: "bool",
    default: true,
    deprecated: inFile,
    help: "Enables profiles of blocking, if profiling is enabled.",
  },
});
