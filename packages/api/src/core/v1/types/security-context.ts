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

export const Capabilities = message(pkg, "Capabilities", () => ({
  add: optional(1, list(string)),
  drop: optional(2, list(string)),
}));
export interface Capabilities extends Infer<typeof Capabilities> {}

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

export const SeccompProfile = message(pkg, "SeccompProfile", () => ({
  type: required(1, enumeration("Unconfined", "RuntimeDefault", "Localhost")),
  localhostProfile: pointer(2, string),
}));
export interface SeccompProfile extends Infer<typeof SeccompProfile> {}

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

export const SELinuxOptions = message(pkg, "SELinuxOptions", () => ({
  user: optional(1, string),
  role: optional(2, string),
  type: optional(3, string),
  level: optional(4, string),
}));
export interface SELinuxOptions extends Infer<typeof SELinuxOptions> {}

export const WindowsSecurityContextOptions = message(pkg, "WindowsSecurityContextOptions", () => ({
  gmsaCredentialSpecName: pointer(1, string),
  gmsaCredentialSpec: pointer(2, string),
  runAsUserName: pointer(3, string),
  hostProcess: pointer(4, bool),
}));
export interface WindowsSecurityContextOptions extends Infer<typeof WindowsSecurityContextOptions> {}

export const Sysctl = message(pkg, "Sysctl", () => ({
  name: required(1, string),
  value: required(2, string),
}));
export interface Sysctl extends Infer<typeof Sysctl> {}
