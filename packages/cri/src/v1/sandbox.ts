/**
 * Pod sandboxes: the environment (network, host name, control group) that the containers of a pod run in.
 *
 * @module
 */
import { LinuxContainerResources } from "./container.ts";
import { bool, enumeration, int32, int64, list, nanos, string, stringMap, uint32, type ValueOf } from "./fields.ts";
import { type Infer, message, wrapper } from "./message.ts";
import { NamespaceOption, SELinuxOption, SecurityProfile } from "./security.ts";

/** Identity of a sandbox. A pod whose sandbox is lost gets another one with the next `attempt`. */
const PodSandboxMetadata = message({
  name: [1, string],
  uid: [2, string],
  namespace: [3, string],
  attempt: [4, uint32],
});

/** Identity and namespaces of the sandbox's own process. */
const LinuxSandboxSecurityContext = message({
  namespaceOptions: [1, NamespaceOption],
  selinuxOptions: [2, SELinuxOption],
  runAsUser: [3, wrapper(int64)],
  readonlyRootfs: [4, bool],
  supplementalGroups: [5, list(int64)],
  /** Whether privileged containers will run in it. */
  privileged: [6, bool],
  /** @deprecated use `seccomp` */
  seccompProfilePath: [7, string],
  runAsGroup: [8, wrapper(int64)],
  seccomp: [9, SecurityProfile],
  apparmor: [10, SecurityProfile],
});

/** Everything that is needed to create a sandbox. */
export const PodSandboxConfig = message({
  metadata: [1, PodSandboxMetadata],
  hostname: [2, string],
  /** Absolute folder on the host, which the `logPath` of the containers is relative to. */
  logDirectory: [3, string],
  dnsConfig: [4, message({ servers: [1, list(string)], searches: [2, list(string)], options: [3, list(string)] })],
  portMappings: [
    5,
    list(
      message({
        protocol: [1, enumeration("TCP", "UDP", "SCTP")],
        containerPort: [2, int32],
        /** 0 maps nothing. */
        hostPort: [3, int32],
        hostIp: [4, string],
      }),
    ),
  ],
  labels: [6, stringMap],
  annotations: [7, stringMap],
  linux: [
    8,
    message({
      cgroupParent: [1, string],
      securityContext: [2, LinuxSandboxSecurityContext],
      sysctls: [3, stringMap],
      /** What the sandbox itself needs. */
      overhead: [4, LinuxContainerResources],
      /** Sum over the containers. */
      resources: [5, LinuxContainerResources],
    }),
  ],
});
export interface PodSandboxConfig extends Infer<typeof PodSandboxConfig> {}

/** State of a sandbox. Only a ready one can run containers. */
export const PodSandboxState = enumeration("SANDBOX_READY", "SANDBOX_NOTREADY");
export type PodSandboxState = ValueOf<typeof PodSandboxState>;

/** An observed sandbox. */
export const PodSandboxStatus = message({
  id: [1, string],
  metadata: [2, PodSandboxMetadata],
  state: [3, PodSandboxState],
  createdAt: [4, nanos],
  /** `ip` is empty on the host's network; `additionalIps` are those of further address families. */
  network: [5, message({ ip: [1, string], additionalIps: [2, list(message({ ip: [1, string] }))] })],
  linux: [6, message({ namespaces: [1, message({ options: [2, NamespaceOption] })] })],
  labels: [7, stringMap],
  annotations: [8, stringMap],
  runtimeHandler: [9, string],
});
export interface PodSandboxStatus extends Infer<typeof PodSandboxStatus> {}

/** Selects sandboxes; all parts that are set must match. */
export const PodSandboxFilter = message({
  id: [1, string],
  /** In a message of its own, so that an absent state differs from `SANDBOX_READY`. */
  state: [2, message({ state: [1, PodSandboxState] })],
  labelSelector: [3, stringMap],
});
export interface PodSandboxFilter extends Infer<typeof PodSandboxFilter> {}

/** A sandbox in a list. */
export const PodSandbox = message({
  id: [1, string],
  metadata: [2, PodSandboxMetadata],
  state: [3, PodSandboxState],
  createdAt: [4, nanos],
  labels: [5, stringMap],
  annotations: [6, stringMap],
  runtimeHandler: [7, string],
});
export interface PodSandbox extends Infer<typeof PodSandbox> {}

/** Identity of a sandbox in statistics. */
export const PodSandboxAttributes = message({
  id: [1, string],
  metadata: [2, PodSandboxMetadata],
  labels: [3, stringMap],
  annotations: [4, stringMap],
});
