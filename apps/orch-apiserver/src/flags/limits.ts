import { flagSection } from "@orchernetes/component";

/** Limits on requests, and the course of start and shutdown. */
export const limitsSection = flagSection("Generic", {
  "max-requests-inflight": {
    type: "int",
    default: 400,
    min: 0,
    help: "Maximum number of read requests in flight. With priority and fairness, the sum with --max-mutating-requests-inflight is the total, at least 1; without it, 0 means no limit.",
  },
  "max-mutating-requests-inflight": {
    type: "int",
    default: 200,
    min: 0,
    help: "Maximum number of write requests in flight. With priority and fairness, the sum with --max-requests-inflight is the total, at least 1; without it, 0 means no limit.",
  },
  "enable-priority-and-fairness": {
    type: "bool",
    default: true,
    help: "Queues and dispatches requests by priority level and flow instead of by the two in-flight limits alone.",
  },
  "request-timeout": {
    type: "duration",
    default: "1m0s",
    min: 1,
    help: "How long a request may take before it times out. Watches and other long-running requests have separate limits.",
  },
  "min-request-timeout": {
    type: "int",
    default: 1800,
    min: 1,
    help: "Minimum number of seconds that a watch stays open; each watch gets a random time above it, which spreads the load of reconnecting.",
  },
  "max-connection-bytes-per-sec": {
    type: "int",
    default: 0,
    min: 0,
    help: "Bytes per second that each upgraded connection (exec, attach, port-forward, proxied WebSockets) may use; 0 means no limit. Watches and other requests are not limited.",
  },
  "livez-grace-period": {
    type: "duration",
    default: "0s",
    min: 0,
    help: "Maximum time that start-up may take. Until it has passed, /livez treats unfinished post-start hooks as successful.",
  },
  "shutdown-delay-duration": {
    type: "duration",
    default: "0s",
    min: 0,
    help: "How long the server continues to serve after it received the signal to stop. Only /readyz fails during this time, so that load balancers stop sending requests.",
  },
  "shutdown-send-retry-after": {
    type: "bool",
    default: false,
    help: "Keeps the listener open while requests in flight are drained, and answers new requests with 429, Retry-After and Connection: close.",
  },
  "shutdown-watch-termination-grace-period": {
    type: "duration",
    default: "0s",
    min: 0,
    help: "How long the server takes at shutdown to close watches gradually.",
  },
});
