/**
 * Namespaces, capabilities, profiles and identities of sandboxes and containers.
 *
 * @module
 */
import { bool, enumeration, int64, list, string, uint32 } from "./fields.ts";
import { type Infer, message, wrapper } from "./message.ts";

/** Maps `length` ids that start at `containerId` inside to those that start at `hostId` outside. */
export const IDMapping = message({ hostId: [1, uint32], containerId: [2, uint32], length: [3, uint32] });

/**
 * Which namespace to use: that of the pod, a new one of the container, that of the host, or that of the container in
 * {@link NamespaceOption}.
 */
const NamespaceMode = enumeration("POD", "CONTAINER", "NODE", "TARGET");

const UserNamespace = message({ mode: [1, NamespaceMode], uids: [2, list(IDMapping)], gids: [3, list(IDMapping)] });

/** The namespaces of a sandbox or container. */
export const NamespaceOption = message({
  network: [1, NamespaceMode],
  pid: [2, NamespaceMode],
  ipc: [3, NamespaceMode],
  /** Id of the container for `TARGET`. */
  targetId: [4, string],
  usernsOptions: [5, UserNamespace],
});
export interface NamespaceOption extends Infer<typeof NamespaceOption> {}

/** A seccomp or AppArmor profile. */
export const SecurityProfile = message({
  profileType: [1, enumeration("RuntimeDefault", "Unconfined", "Localhost")],
  /** For `Localhost`: absolute path of a seccomp profile, or name of an AppArmor profile that is loaded. */
  localhostRef: [2, string],
});
export interface SecurityProfile extends Infer<typeof SecurityProfile> {}

/** An SELinux label. */
export const SELinuxOption = message({ user: [1, string], role: [2, string], type: [3, string], level: [4, string] });

/** Capabilities without the prefix `CAP_`, relative to the runtime's default set; `ALL` stands for every one. */
const Capability = message({
  addCapabilities: [1, list(string)],
  dropCapabilities: [2, list(string)],
  addAmbientCapabilities: [3, list(string)],
});

/** Identity, privileges and confinement of a container. */
export const LinuxContainerSecurityContext = message({
  capabilities: [1, Capability],
  privileged: [2, bool],
  namespaceOptions: [3, NamespaceOption],
  selinuxOptions: [4, SELinuxOption],
  runAsUser: [5, wrapper(int64)],
  /** Takes effect if `runAsUser` is absent; the image's own users are looked up. */
  runAsUsername: [6, string],
  readonlyRootfs: [7, bool],
  supplementalGroups: [8, list(int64)],
  /** @deprecated use `apparmor` */
  apparmorProfile: [9, string],
  /** @deprecated use `seccomp` */
  seccompProfilePath: [10, string],
  noNewPrivs: [11, bool],
  runAsGroup: [12, wrapper(int64)],
  maskedPaths: [13, list(string)],
  readonlyPaths: [14, list(string)],
  seccomp: [15, SecurityProfile],
  apparmor: [16, SecurityProfile],
});
export interface LinuxContainerSecurityContext extends Infer<typeof LinuxContainerSecurityContext> {}
