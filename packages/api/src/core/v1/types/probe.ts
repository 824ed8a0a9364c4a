import {
  embed,
  enumeration,
  type Infer,
  int32,
  int64,
  intOrString,
  list,
  message,
  optional,
  pointer,
  required,
  string,
} from "@orchernetes/apimachinery";

const pkg = "core/v1";

/** One header of an HTTP request. */
export const HTTPHeader = message(pkg, "HTTPHeader", () => ({
  name: required(1, string),
  value: required(2, string),
}));
export interface HTTPHeader extends Infer<typeof HTTPHeader> {}

/** An HTTP GET request, sent by the orchlet. */
export const HTTPGetAction = message(pkg, "HTTPGetAction", () => ({
  path: optional(1, string),
  port: required(2, intOrString),
  host: optional(3, string),
  scheme: optional(4, enumeration("HTTP", "HTTPS")),
  httpHeaders: optional(5, list(HTTPHeader)),
}));
export interface HTTPGetAction extends Infer<typeof HTTPGetAction> {}

/** A TCP connection, opened by the orchlet and closed immediately. */
export const TCPSocketAction = message(pkg, "TCPSocketAction", () => ({
  port: required(1, intOrString),
  host: optional(2, string),
}));
export interface TCPSocketAction extends Infer<typeof TCPSocketAction> {}

/** A call of the gRPC health checking service in the container. Source: KEP-2727. */
export const GRPCAction = message(pkg, "GRPCAction", () => ({
  port: required(1, int32),
  service: pointer(2, string, { default: "" }),
}));
export interface GRPCAction extends Infer<typeof GRPCAction> {}

/** A command that runs in the container. */
export const ExecAction = message(pkg, "ExecAction", () => ({
  command: optional(1, list(string)),
}));
export interface ExecAction extends Infer<typeof ExecAction> {}

/**
 * A periodic check of a container by the orchlet. Defaults: timeout 1 s, period 10 s, success threshold 1, failure
 * threshold 3.
 */
export const Probe = message(pkg, "Probe", () => ({
  ...embed(1, "handler", ProbeHandler),
  initialDelaySeconds: optional(2, int32),
  timeoutSeconds: optional(3, int32),
  periodSeconds: optional(4, int32),
  successThreshold: optional(5, int32),
  failureThreshold: optional(6, int32),
  terminationGracePeriodSeconds: pointer(7, int64, { gate: "ProbeTerminationGracePeriod" }),
}));
export interface Probe extends Infer<typeof Probe> {}

/** How a check is made. Exactly one field is set. */
export const ProbeHandler = message(pkg, "ProbeHandler", () => ({
  exec: pointer(1, ExecAction),
  httpGet: pointer(2, HTTPGetAction),
  tcpSocket: pointer(3, TCPSocketAction),
  grpc: pointer(4, GRPCAction),
}));
export interface ProbeHandler extends Infer<typeof ProbeHandler> {}

/** What is done at one point of a container's life cycle. Exactly one field is set. */
export const LifecycleHandler = message(pkg, "LifecycleHandler", () => ({
  exec: pointer(1, ExecAction),
  httpGet: pointer(2, HTTPGetAction),
  tcpSocket: pointer(3, TCPSocketAction, { deprecated: true }),
}));
export interface LifecycleHandler extends Infer<typeof LifecycleHandler> {}

/** Handlers that run after a container has started and before it is stopped. */
export const Lifecycle = message(pkg, "Lifecycle", () => ({
  postStart: pointer(1, LifecycleHandler),
  preStop: pointer(2, LifecycleHandler),
}));
export interface Lifecycle extends Infer<typeof Lifecycle> {}
