import {
  bool,
  type Infer,
  int32,
  int64,
  list,
  object,
  optional,
  pointer,
  required,
  string,
  time,
} from "@orchernetes/apimachinery";

const pkg = "core/v1";

/**
 * Which part of a container's log is to be sent, and in which form. Given as query parameters of the log subresource of pods.
 */
export const PodLogOptions = object(pkg, "PodLogOptions", () => ({
  container: optional(1, string),
  follow: optional(2, bool),
  previous: optional(3, bool),
  sinceSeconds: pointer(4, int64),
  sinceTime: pointer(5, time),
  timestamps: optional(6, bool),
  tailLines: pointer(7, int64),
  limitBytes: pointer(8, int64),
  insecureSkipTLSVerifyBackend: optional(9, bool),
}));
export interface PodLogOptions extends Infer<typeof PodLogOptions> {}

/** Which streams of a running container to connect to. Given as query parameters of the attach subresource of pods. */
export const PodAttachOptions = object(pkg, "PodAttachOptions", () => ({
  stdin: optional(1, bool),
  stdout: optional(2, bool),
  stderr: optional(3, bool),
  tty: optional(4, bool),
  container: optional(5, string),
}));
export interface PodAttachOptions extends Infer<typeof PodAttachOptions> {}

/**
 * Which command to run in a container, and which streams to connect. Given as query parameters of the exec subresource of pods.
 */
export const PodExecOptions = object(pkg, "PodExecOptions", () => ({
  stdin: optional(1, bool),
  stdout: optional(2, bool),
  stderr: optional(3, bool),
  tty: optional(4, bool),
  container: optional(5, string),
  command: required(6, list(string)),
}));
export interface PodExecOptions extends Infer<typeof PodExecOptions> {}

/** Which ports of a pod to forward. Given as query parameters of the portforward subresource of pods. */
export const PodPortForwardOptions = object(pkg, "PodPortForwardOptions", () => ({
  ports: optional(1, list(int32)),
}));
export interface PodPortForwardOptions extends Infer<typeof PodPortForwardOptions> {}

/** What is passed on to a pod through the proxy subresource. */
export const PodProxyOptions = object(pkg, "PodProxyOptions", () => ({
  path: optional(1, string),
}));
export interface PodProxyOptions extends Infer<typeof PodProxyOptions> {}

/** What to pass on to the orchlet of a node through the proxy subresource. */
export const NodeProxyOptions = object(pkg, "NodeProxyOptions", () => ({
  path: optional(1, string),
}));
export interface NodeProxyOptions extends Infer<typeof NodeProxyOptions> {}

/** What to pass on to an endpoint of a service through the proxy subresource. */
export const ServiceProxyOptions = object(pkg, "ServiceProxyOptions", () => ({
  path: optional(1, string),
}));
export interface ServiceProxyOptions extends Infer<typeof ServiceProxyOptions> {}
