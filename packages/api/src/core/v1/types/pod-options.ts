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

export const PodAttachOptions = object(pkg, "PodAttachOptions", () => ({
  stdin: optional(1, bool),
  stdout: optional(2, bool),
  stderr: optional(3, bool),
  tty: optional(4, bool),
  container: optional(5, string),
}));
export interface PodAttachOptions extends Infer<typeof PodAttachOptions> {}

export const PodExecOptions = object(pkg, "PodExecOptions", () => ({
  stdin: optional(1, bool),
  stdout: optional(2, bool),
  stderr: optional(3, bool),
  tty: optional(4, bool),
  container: optional(5, string),
  command: required(6, list(string)),
}));
export interface PodExecOptions extends Infer<typeof PodExecOptions> {}

export const PodPortForwardOptions = object(pkg, "PodPortForwardOptions", () => ({
  ports: optional(1, list(int32)),
}));
export interface PodPortForwardOptions extends Infer<typeof PodPortForwardOptions> {}

export const PodProxyOptions = object(pkg, "PodProxyOptions", () => ({
  path: optional(1, string),
}));
export interface PodProxyOptions extends Infer<typeof PodProxyOptions> {}

export const NodeProxyOptions = object(pkg, "NodeProxyOptions", () => ({
  path: optional(1, string),
}));
export interface NodeProxyOptions extends Infer<typeof NodeProxyOptions> {}

export const ServiceProxyOptions = object(pkg, "ServiceProxyOptions", () => ({
  path: optional(1, string),
}));
export interface ServiceProxyOptions extends Infer<typeof ServiceProxyOptions> {}
