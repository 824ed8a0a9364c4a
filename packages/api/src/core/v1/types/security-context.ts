import {
  bool,
  enumeration,
  type Infer,
  int64,
  list,
  message,
  optional,
  pointer,
  required,
  string,
} from "@orchernetes/apimachinery";

const pkg = "core/v1";

/** Linux capabilities that a container gains or loses, compared to the runtime's default set. */
export const Capabilities = message(pkg, "Capabilities", () => ({
  add: optional(1, list(string)),
  drop: optional(2, list(string)),
}));
export interface Capabilities extends Infer<typeof Capabilities> {}

/** Privileges and identity of all containers of a pod, and of its volumes. Settings of a container take precedence. */
export const PodSecurityContext = message(pkg, "PodSecurityContext", () => ({
  seLinuxOptions: pointer(1, SELinuxOptions),
  windowsOptions: pointer(8, WindowsSecurityContextOptions),
  runAsUser: pointer(2, int64),
  runAsGroup: pointer(6, int64),
  runAsNonRoot: pointer(3, bool),
  supplementalGroups: optional(4, list(int64)),
  fsGroup: pointer(5, int64),
  sysctls: optional(7, list(Sysctl)),
  fsGroupChangePolicy: pointer(9, enumeration("OnRootMismatch", "Always")),
  seccompProfile: pointer(10, SeccompProfile),
}));
export interface PodSecurityContext extends Infer<typeof PodSecurityContext> {}

/** A filter of system calls. Source: KEP-135. */
export const SeccompProfile = message(pkg, "SeccompProfile", () => ({
  type: required(1, enumeration("Unconfined", "RuntimeDefault", "Localhost")),
  localhostProfile: pointer(2, string),
}));
export interface SeccompProfile extends Infer<typeof SeccompProfile> {}

/** Privileges and identity of one container. It takes precedence over the settings of the pod. */
export const SecurityContext = message(pkg, "SecurityContext", () => ({
  capabilities: pointer(1, Capabilities),
  privileged: pointer(2, bool),
  seLinuxOptions: pointer(3, SELinuxOptions),
  windowsOptions: pointer(10, WindowsSecurityContextOptions),
  runAsUser: pointer(4, int64),
  runAsGroup: pointer(8, int64),
  runAsNonRoot: pointer(5, bool),
  readOnlyRootFilesystem: pointer(6, bool),
  allowPrivilegeEscalation: pointer(7, bool),
  procMount: pointer(9, enumeration("Default", "Unmasked"), { gate: "ProcMountType" }),
  seccompProfile: pointer(11, SeccompProfile),
}));
export interface SecurityContext extends Infer<typeof SecurityContext> {}

/** The parts of an SELinux label. */
export const SELinuxOptions = message(pkg, "SELinuxOptions", () => ({
  user: optional(1, string),
  role: optional(2, string),
  type: optional(3, string),
  level: optional(4, string),
}));
export interface SELinuxOptions extends Infer<typeof SELinuxOptions> {}

/** Settings of Windows containers. `hostProcess`: KEP-1981. */
export const WindowsSecurityContextOptions = message(pkg, "WindowsSecurityContextOptions", () => ({
  gmsaCredentialSpecName: pointer(1, string),
  gmsaCredentialSpec: pointer(2, string),
  runAsUserName: pointer(3, string),
  hostProcess: pointer(4, bool),
}));
export interface WindowsSecurityContextOptions extends Infer<typeof WindowsSecurityContextOptions> {}

/** One kernel parameter. */
export const Sysctl = message(pkg, "Sysctl", () => ({
  name: required(1, string),
  value: required(2, string),
}));
export interface Sysctl extends Infer<typeof Sysctl> {}
