import { flagSection } from "@orchernetes/component";

/** The kernel's table of connections. */
export const conntrackSection = flagSection("Connection tracking", {
  "conntrack-max-per-core": {
    field: "conntrack.maxPerCore",
    type: "int",
    default: 32768,
    min: 0,
    help: "Largest number of tracked connections for each processor; 0 leaves the limit and ignores --conntrack-min.",
  },
  "conntrack-min": {
    field: "conntrack.min",
    type: "int",
    default: 131072,
    min: 0,
    help: "Smallest limit of tracked connections, whatever --conntrack-max-per-core says; with --conntrack-max-per-core=0 the limit is left.",
  },
  "conntrack-tcp-timeout-close-wait": {
    field: "conntrack.tcpCloseWaitTimeout",
    type: "duration",
    default: "1h0m0s",
    min: 0,
    help: "Timeout of TCP connections in state CLOSE_WAIT; 0 leaves the kernel's.",
  },
  "conntrack-tcp-timeout-established": {
    field: "conntrack.tcpEstablishedTimeout",
    type: "duration",
    default: "24h0m0s",
    min: 0,
    help: "Timeout of idle established TCP connections; 0 leaves the kernel's.",
  },
});
