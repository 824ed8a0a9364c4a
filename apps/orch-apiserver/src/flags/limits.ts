import { flagSection } from "@orchernetes/component";

/** Limits on requests, and the course of start and shutdown. */
export const limitsSection = flagSection("Generic", {
  "max-requests-inflight": {
    type: "int",
    default: 400,
    min: 0,
    help: "Reading requests served at once. With priority and fairness its sum with --max-mutating-requests-inflight is the total, at least 1; without, 0 removes the limit.",
  },
  "max-mutating-requests-inflight": {
    type: "int",
    default: 200,
    min: 0,
    help: "Writing requests served at once. With priority and fairness its sum with --max-requests-inflight is the total, at least 1; without, 0 removes the limit.",
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
    help: "How long a request may take before it is given up. Watches and other long requests have limits of their own.",
  },
  "min-request-timeout": {
    type: "int",
    default: 1800,
    min: 1,
    help: "Least number of seconds a watch stays open; each watch gets a random time above it, which spreads the load of reconnecting.",
  },
  "max-connection-bytes-per-sec": {
    type: "int",
    default: 0,
    min: 0,
    help: "Bytes a second that each upgraded connection (exec, attach, port-forward, proxied WebSockets) may use; 0 means no limit. Watches and other requests are not limited.",
  },
  "livez-grace-period": {
    type: "duration",
    default: "0s",
    min: 0,
    help: "Longest time the start may take. Until it has passed /livez takes unfinished post-start hooks as passed.",
  },
  "shutdown-delay-duration": {
    type: "duration",
    default: "0s",
    min: 0,
    help: "Time between the order to stop and the end of serving. Requests are served as before, only /readyz fails, so that load balancers turn away.",
  },
  "shutdown-send-retry-after": {
    type: "bool",
    default: false,
    help: "While requests in flight are finished, keeps the listener open and answers new ones with 429, Retry-After and Connection: close.",
  },
  "shutdown-watch-termination-grace-period": {
    type: "duration",
    default: "0s",
    min: 0,
    help: "How long the server waits at shutdown for watches to be ended, slowly one after the other.",
  },
});
