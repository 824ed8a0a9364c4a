import { flagSection } from "@orchernetes/component";

/** The ports of the daemon. */
export const servingSection = flagSection("Serving", {
  "bind-address": {
    field: "bindAddress",
    type: "ip",
    default: "0.0.0.0",
    help: "An address of the node. It only determines the IP family of the default addresses of health checks and metrics; nothing listens on it.",
  },
  "bind-address-hard-fail": {
    field: "bindAddressHardFail",
    type: "bool",
    default: false,
    help: "Exits if it is not possible to listen on a port; otherwise the error is logged and the port is tried again.",
  },
  "healthz-bind-address": {
    field: "healthzBindAddress",
    type: "string",
    default: "0.0.0.0:10256",
    help: 'Address and port of the health checks; "" disables them.',
  },
  "healthz-port": {
    type: "int",
    default: 10256,
    min: 0,
    max: 65535,
    deprecated: "use --healthz-bind-address instead",
    help: "Port of the health checks if --healthz-bind-address contains none; 0 disables them.",
  },
  "metrics-bind-address": {
    field: "metricsBindAddress",
    type: "string",
    default: "127.0.0.1:10249",
    help: 'Address and port of the metrics; "" disables them.',
  },
  "metrics-port": {
    type: "int",
    default: 10249,
    min: 0,
    max: 65535,
    deprecated: "use --metrics-bind-address instead",
    help: "Port of the metrics if --metrics-bind-address contains none; 0 disables them.",
  },
  profiling: {
    field: "enableProfiling",
    type: "bool",
    default: false,
    help: "Serves profiles under /debug/pprof/ on the port of the metrics.",
  },
});
