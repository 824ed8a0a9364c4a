import { contentTypeFlag, flagSection } from "@orchernetes/component";

/** Properties of a flag that sets a field of the configuration. It has an effect only without a configuration file. */
const inFile = {
  fieldApplies: "without-file",
  deprecated: "set it in the file of --config, which overrides this flag",
} as const;

/**
 * Flags that are replaced by fields of the configuration file, with the defaults of those fields. They are ignored if
 * `--config` is given, so that the file alone describes the configuration.
 */
export const deprecatedSection = flagSection("Deprecated", {
  orchconfig: {
    field: "clientConnection.orchconfig",
    ...inFile,
    type: "string",
    default: "",
    help: "Client configuration file: how to reach the API server and authenticate to it.",
  },
  "orch-api-qps": {
    field: "clientConnection.qps",
    ...inFile,
    type: "float",
    default: 50,
    min: 0,
    help: "Queries per second to the API server.",
  },
  "orch-api-burst": {
    field: "clientConnection.burst",
    ...inFile,
    type: "int",
    default: 100,
    min: 0,
    help: "Burst of queries to the API server.",
  },
  "orch-api-content-type": {
    field: "clientConnection.contentType",
    ...inFile,
    ...contentTypeFlag,
  },
  "lock-object-name": {
    field: "leaderElection.resourceName",
    fieldApplies: "without-file",
    type: "string",
    default: "orch-scheduler",
    deprecated: "use --leader-elect-resource-name instead",
    help: "Name of the lock object.",
  },
  "lock-object-namespace": {
    field: "leaderElection.resourceNamespace",
    fieldApplies: "without-file",
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
    field: "enableProfiling",
    ...inFile,
    type: "bool",
    default: true,
    help: "Serves profiles under /debug/pprof/.",
  },
  "contention-profiling": {
    field: "enableContentionProfiling",
    ...inFile,
    type: "bool",
    default: true,
    help: "Enables profiles of blocking, if profiling is enabled.",
  },
});
