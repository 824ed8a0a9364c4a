import type { TypeDocumentation } from "@orchernetes/apimachinery";

const notWindows = "Not for Windows pods.";
const seLinux = `SELinux label of the processes. If absent, the runtime picks one at random for each container. ${notWindows}`;
const seccomp = `Filter for system calls. ${notWindows}`;
const windows = "Settings for Windows containers. Not for Linux pods.";
const runAsNonRoot =
  "If true, the orchlet refuses to start a container whose user is, or cannot be shown not to be, root (UID 0). Default false.";

/** Texts of the types in `types/security-context.ts`. */
export const documentation: TypeDocumentation = {
  Capabilities: {
    "": "Linux capabilities that a container gains or loses, compared to the runtime's default set.",
    add: 'Capabilities to add, without the prefix CAP_, such as NET_ADMIN. "ALL" adds all capabilities.',
    drop: 'Capabilities to drop. "ALL" drops all capabilities, after which add restores those that are needed.',
  },
  PodSecurityContext: {
    "": "Privileges and identities for all containers of a pod, and for its volumes. A container's own settings take precedence.",
    seLinuxOptions: seLinux,
    windowsOptions: windows,
    runAsUser: `User ID that the processes run as. If absent, the image decides. ${notWindows}`,
    runAsGroup: `Primary group ID of the processes. If absent, the runtime decides. ${notWindows}`,
    runAsNonRoot,
    supplementalGroups: `Further group IDs of the processes, besides the primary group, fsGroup and what the image gives the user. ${notWindows}`,
    fsGroup: `Group ID that owns the pod's volumes where their kind allows it: files get this group, are readable and writable for it, and new ones inherit it. Every process is a member. If absent, ownership stays as it is. ${notWindows}`,
    sysctls: `Kernel parameters of the pod's namespaces. If the node does not allow one of them, the pod fails there. ${notWindows}`,
    fsGroupChangePolicy: `When fsGroup is applied: Always, on each mount, or OnRootMismatch, only if the root of the volume does not have the right owner and mode yet, which saves time on large volumes. Default Always. ${notWindows}`,
    seccompProfile: seccomp,
  },
  SeccompProfile: {
    "": "A filter for system calls.",
    type: "Which filter: RuntimeDefault (that of the container runtime), Localhost (a file on the node) or Unconfined (none).",
    localhostProfile:
      "Path of the profile, relative to the orchlet's directory of seccomp profiles. Required with Localhost and not allowed otherwise.",
  },
  SecurityContext: {
    "": "Privileges and identities of one container. They take precedence over the pod's settings.",
    capabilities: `Linux capabilities to add and to drop. If absent, the runtime's own set. ${notWindows}`,
    privileged: `Runs the container with nearly all rights of root on the node, with access to its devices. Rejected where orch-apiserver does not allow privileged containers. Default false. ${notWindows}`,
    seLinuxOptions: seLinux,
    windowsOptions: windows,
    runAsUser: `User ID that the program runs as. If absent, the pod's setting or else the image decides. ${notWindows}`,
    runAsGroup: `Primary group ID of the program. If absent, the pod's setting or else the runtime decides. ${notWindows}`,
    runAsNonRoot,
    readOnlyRootFilesystem: `Makes the root of the container's file system read-only; volumes are not affected. Default false. ${notWindows}`,
    allowPrivilegeEscalation: `Whether a process may gain more rights than its parent. False sets the kernel's no_new_privs flag. Always true for privileged containers and those with CAP_SYS_ADMIN. ${notWindows}`,
    procMount: `How /proc is mounted: Default masks sensitive paths and makes them read-only; Unmasked does not, and needs the feature gate ProcMountType. ${notWindows}`,
    seccompProfile: seccomp,
  },
  SELinuxOptions: {
    "": "The parts of an SELinux label.",
    user: "User part of the label.",
    role: "Role part of the label.",
    type: "Type part of the label.",
    level: "Level part of the label.",
  },
  WindowsSecurityContextOptions: {
    "": "Settings that apply to Windows containers only.",
    gmsaCredentialSpecName: "Name of the credential spec of a group managed service account to use.",
    gmsaCredentialSpec:
      "Content of that credential spec. Filled in by an admission webhook from the name in gmsaCredentialSpecName.",
    runAsUserName:
      "User that the program runs as, as USER or DOMAIN\\USER. If absent, the pod's setting or else the image decides.",
    hostProcess:
      "Runs the container as a process of the host. Must be the same for all containers of the pod, and needs hostNetwork.",
  },
  Sysctl: {
    "": "One kernel parameter.",
    name: "Name of the parameter, such as net.ipv4.ip_local_port_range.",
    value: "Value of the parameter.",
  },
};
