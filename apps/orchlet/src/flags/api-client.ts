import { configFlags } from "./config-flags.ts";

/** How the agent talks to the API server. */
export const apiClientSection = configFlags("API connection", {
  "orch-api-qps": { type: "int", default: 50, min: 0, help: "Requests a second to the API server." },
  "orch-api-burst": { type: "int", default: 100, min: 0, help: "Requests to the API server allowed at once." },
  "orch-api-content-type": {
    type: "string",
    default: "application/vnd.orchernetes.protobuf",
    help: "Content type of requests to the API server.",
  },
  "event-qps": { type: "int", default: 50, min: 0, help: "Events a second; 0 means no limit." },
  "event-burst": { type: "int", default: 100, min: 0, help: "Events allowed at once while --event-qps is above 0." },
});
