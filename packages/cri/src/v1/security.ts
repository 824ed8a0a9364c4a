/**
 * Namespaces, capabilities, profiles and identities of sandboxes and containers. Wire numbers: CRI `runtime.v1` at API level 1.27.
 *
 * @module
 */

import type { NamespaceMode, ProfileType } from "./enums.ts";
import type { MessageSpec } from "./spec.ts";

/** A range of ids inside mapped to a range outside. */
export interface IDMapping {
  hostId: number;
  containerId: number;
  length: number;
}

/** User namespace of a sandbox. */
export interface UserNamespace {
  mode: NamespaceMode;
  uids: IDMapping[];
  gids: IDMapping[];
}

/** Which namespaces are shared: `POD`, `CONTAINER` (own), `NODE` (the host's) or `TARGET` (those of container `targetId`). */
export interface NamespaceOption {
  network: NamespaceMode;
  pid: NamespaceMode;
  ipc: NamespaceMode;
  targetId: string;
  usernsOptions?: UserNamespace;
}

/** A seccomp or AppArmor profile; `localhostRef` names it for `Localhost`. */
export interface SecurityProfile {
  profileType: ProfileType;
  localhostRef: string;
}

/** SELinux label. */
export interface SELinuxOption {
  user: string;
  role: string;
  type: string;
  level: string;
}

/** Capabilities added to and dropped from the default set; `ALL` stands for every one. */
export interface Capability {
  addCapabilities: string[];
  dropCapabilities: string[];
  addAmbientCapabilities: string[];
}

/** Identity, privileges and confinement of a container. */
export interface LinuxContainerSecurityContext {
  capabilities?: Capability;
  privileged: boolean;
  namespaceOptions?: NamespaceOption;
  selinuxOptions?: SELinuxOption;
  runAsUser?: number;
  runAsUsername: string;
  readonlyRootfs: boolean;
  supplementalGroups: number[];
  /** @deprecated use the profile field */
  apparmorProfile: string;
  /** @deprecated use the profile field */
  seccompProfilePath: string;
  noNewPrivs: boolean;
  runAsGroup?: number;
  maskedPaths: string[];
  readonlyPaths: string[];
  seccomp?: SecurityProfile;
  apparmor?: SecurityProfile;
}

/** Wire form of the messages of this file. */
export const securityMessages = {
  IDMapping: {
    hostId: [1, "uint32"],
    containerId: [2, "uint32"],
    length: [3, "uint32"],
  } satisfies MessageSpec<IDMapping>,
  UserNamespace: {
    mode: [1, "NamespaceMode"],
    uids: [2, "[]IDMapping"],
    gids: [3, "[]IDMapping"],
  } satisfies MessageSpec<UserNamespace>,
  NamespaceOption: {
    network: [1, "NamespaceMode"],
    pid: [2, "NamespaceMode"],
    ipc: [3, "NamespaceMode"],
    targetId: [4, "string"],
    usernsOptions: [5, "UserNamespace"],
  } satisfies MessageSpec<NamespaceOption>,
  SecurityProfile: {
    profileType: [1, "ProfileType"],
    localhostRef: [2, "string"],
  } satisfies MessageSpec<SecurityProfile>,
  SELinuxOption: {
    user: [1, "string"],
    role: [2, "string"],
    type: [3, "string"],
    level: [4, "string"],
  } satisfies MessageSpec<SELinuxOption>,
  Capability: {
    addCapabilities: [1, "[]string"],
    dropCapabilities: [2, "[]string"],
    addAmbientCapabilities: [3, "[]string"],
  } satisfies MessageSpec<Capability>,
  LinuxContainerSecurityContext: {
    capabilities: [1, "Capability"],
    privileged: [2, "bool"],
    namespaceOptions: [3, "NamespaceOption"],
    selinuxOptions: [4, "SELinuxOption"],
    runAsUser: [5, "Int64Value"],
    runAsUsername: [6, "string"],
    readonlyRootfs: [7, "bool"],
    supplementalGroups: [8, "[]int64"],
    apparmorProfile: [9, "string"],
    seccompProfilePath: [10, "string"],
    noNewPrivs: [11, "bool"],
    runAsGroup: [12, "Int64Value"],
    maskedPaths: [13, "[]string"],
    readonlyPaths: [14, "[]string"],
    seccomp: [15, "SecurityProfile"],
    apparmor: [16, "SecurityProfile"],
  } satisfies MessageSpec<LinuxContainerSecurityContext>,
};
