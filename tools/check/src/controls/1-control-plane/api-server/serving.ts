import { type Control, met } from "../../../control.ts";
import { flagControl, is } from "../../shared/flag-control.ts";
import { byStatus } from "./by-status.ts";

const daemon = "orch-apiserver";

/** Controls of section 1.2 about serving. */
export const serving: readonly Control[] = [
  {
    ...flagControl({
      number: "1.24/1.2.16",
      title: "The API server serves over TLS",
      daemon,
      flag: "secure-port",
      absent: "6443",
      accept: (port) => port !== "0",
      remedy: "orch-apiserver: remove --secure-port=0",
      otherwise: () => met("the API server answers over TLS", "the connection of this program"),
    }),
  },
  flagControl({
    number: "1.2.16",
    formerNumber: "1.2.17",
    title: "The API server serves no profiles",
    daemon,
    flag: "profiling",
    absent: "true",
    accept: is("false"),
    otherwise: byStatus(
      ({ profilingStatus }) => profilingStatus,
      "/debug/pprof/",
      (status) => status === 404,
    ),
    remedy: "orch-apiserver --profiling=false",
  }),
];
