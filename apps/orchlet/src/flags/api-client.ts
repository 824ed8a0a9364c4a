import { contentTypeFlag } from "@orchernetes/component";
import { configFlags } from "./config-flags.ts";

/** How the agent talks to the API server. */
export const apiClientSection = configFlags("API connection", {
  "orch-api-qps": {
    field: "orchAPIQPS",
    type: "int",
    default: 50,
    min: 0,
    help: "Queries per second to the API server.",
  },
  "orch-api-burst": {
    field: "orchAPIBurst",
    type: "int",
    default: 100,
    min: 0,
    help: "Burst of queries to the API server.",
  },
  "orch-api-content-type": {
    field: "contentType",
    ...contentTypeFlag,
  },
  "event-qps": {
    field: "eventRecordQPS",
    type: "int",
    default: 50,
    min: 0,
    help: "Events per second; 0 means no limit.",
  },
  "event-burst": {
    field: "eventBurst",
    type: "int",
    default: 100,
    min: 0,
    help: "Burst of events if --event-qps is greater than 0.",
  },
});
