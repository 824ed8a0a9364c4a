import { flagSection } from "@orchernetes/component";

/** The kernel's table of connections. */
export const conntrackSection = flagSection("Connection tracking", {
  "conntrack-max-per-core": {
    field: "conntrack.maxPerCore",
    type: "int",
    default: 32768,
    min: 0,
    help: "Maximum number of tracked connections per CPU core. 0 does not change the kernel's limit, and --conntrack-min is ignored.",
  },
  "conntrack-min": {
    field: "conntrack.min",
    type: "int",
    default: 131072,
    min: 0,
    help: "Minimum for the limit of tracked connections, regardless of --conntrack-max-per-core. It has no effect if --conntrack-max-per-core is 0.",
  },
  "conntrack-tcp-timeout-close-wait": {
    field: "conntrack.tcpCloseWaitTimeout",
    type: "duration",
    default: "1h0m0s",
    min: 0,
    help: "Timeout of TCP connections in state CLOSE_WAIT; 0 does not change the kernel's timeout.",
  },
  "conntrack-tcp-timeout-established": {
    field: "conntrack.tcpEstablishedTimeout",
    type: "duration",
    default: "24h0m0s",
    min: 0,
    help: "Timeout of idle established TCP connections; 0 does not change the kernel's timeout.",
  },
});
