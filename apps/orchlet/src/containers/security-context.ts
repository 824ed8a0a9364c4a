import type { core } from "@orchernetes/api";
import type { Init, LinuxContainerSecurityContext, NamespaceOption, SecurityProfile } from "@orchernetes/cri";
import { appArmorOf } from "../admission/app-armor.ts";
import { ContainerStartError } from "../types/start-error.ts";

const maskedPaths = [
  "/proc/asound",
  "/proc/acpi",
  "/proc/kcore",
  "/proc/keys",
  "/proc/latency_stats",
  "/proc/timer_list",
  "/proc/timer_stats",
  "/proc/sched_debug",
  "/proc/scsi",
  "/sys/firmware",
];
const readonlyPaths = ["/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger"];

/** Settings of the node that bear on security. */
export interface SecurityDefaults {
  /** Whether containers without a profile get the runtime's default one. */
  readonly seccompDefault: boolean;
  /** Folder of localhost profiles. */
  readonly seccompDir: string;
}

/** Namespaces that the pod's containers share. */
export function namespacesOf(spec: core.PodSpec, targetId?: string): Init<NamespaceOption> {
  const pid = spec.hostPID
    ? "NODE"
    : targetId !== undefined
      ? "TARGET"
      : spec.shareProcessNamespace
        ? "POD"
        : "CONTAINER";
  return {
    network: spec.hostNetwork ? "NODE" : "POD",
    ipc: spec.hostIPC ? "NODE" : "POD",
    pid,
    ...(targetId === undefined ? {} : { targetId }),
  };
}

/** A seccomp profile in the runtime's terms. */
function seccompOf(
  profile: core.SeccompProfile | undefined,
  { seccompDefault, seccompDir }: SecurityDefaults,
): Init<SecurityProfile> {
  if (profile === undefined) return { profileType: seccompDefault ? "RuntimeDefault" : "Unconfined" };
  if (profile.type === "Localhost")
    return { profileType: "Localhost", localhostRef: `${seccompDir}/${profile.localhostProfile ?? ""}` };
  return { profileType: profile.type };
}

/** Groups that all processes of the pod are in: those it names, and the owner of its volumes. */
export function supplementalGroupsOf(context: core.PodSecurityContext | undefined): readonly number[] {
  return [...(context?.supplementalGroups ?? []), ...(context?.fsGroup === undefined ? [] : [context.fsGroup])];
}

/**
 * Identity, privileges and confinement of a container: its own settings, then its pod's.
 *
 * @param imageUser the user that its image names
 * @throws ContainerStartError when it must not be root and is, or may be
 */
export function securityContextOf(
  pod: core.Pod,
  container: core.Container,
  options: SecurityDefaults & {
    readonly imageUser: { readonly uid?: number | undefined; readonly username: string };
    readonly podText: string;
    readonly targetId?: string | undefined;
  },
): Init<LinuxContainerSecurityContext> {
  const ofPod = pod.spec.securityContext;
  const own = container.securityContext;
  const runAsUser = own?.runAsUser ?? ofPod?.runAsUser;
  const runAsGroup = own?.runAsGroup ?? ofPod?.runAsGroup;
  const nonRoot = own?.runAsNonRoot ?? ofPod?.runAsNonRoot ?? false;
  if (nonRoot) refuseRoot(runAsUser, container.name, options);
  const { imageUser } = options;
  const privileged = own?.privileged ?? false;
  const seLinux = own?.seLinuxOptions ?? ofPod?.seLinuxOptions;
  const unmasked = own?.procMount === "Unmasked";
  const appArmor = appArmorOf(pod, container.name);
  return {
    privileged,
    readonlyRootfs: own?.readOnlyRootFilesystem ?? false,
    noNewPrivs: own?.allowPrivilegeEscalation === false,
    namespaceOptions: namespacesOf(pod.spec, options.targetId),
    supplementalGroups: [...supplementalGroupsOf(ofPod)],
    // Without a user of its own, the container runs as its image says.
    ...(runAsUser !== undefined
      ? { runAsUser }
      : imageUser.uid !== undefined
        ? { runAsUser: imageUser.uid }
        : imageUser.username !== ""
          ? { runAsUsername: imageUser.username }
          : runAsGroup !== undefined
            ? { runAsUser: 0 }
            : {}),
    ...(runAsGroup === undefined ? {} : { runAsGroup }),
    ...(own?.capabilities === undefined
      ? {}
      : {
          capabilities: {
            addCapabilities: own.capabilities.add ?? [],
            dropCapabilities: own.capabilities.drop ?? [],
          },
        }),
    ...(seLinux === undefined ? {} : { selinuxOptions: seLinux }),
    ...(appArmor === undefined ? {} : { apparmor: appArmor }),
    ...(privileged || unmasked ? {} : { maskedPaths, readonlyPaths }),
    seccomp: privileged
      ? { profileType: "Unconfined" }
      : seccompOf(own?.seccompProfile ?? ofPod?.seccompProfile, options),
  };
}

function refuseRoot(
  runAsUser: number | undefined,
  name: string,
  {
    imageUser,
    podText,
  }: { readonly imageUser: { readonly uid?: number | undefined; readonly username: string }; readonly podText: string },
): void {
  const where = `(pod: "${podText}", container: ${name})`;
  if (runAsUser === 0) throw configError(`container's runAsUser breaks non-root policy ${where}`);
  if (runAsUser !== undefined) return;
  if (imageUser.uid === 0 || (imageUser.uid === undefined && imageUser.username === ""))
    throw configError(`container has runAsNonRoot and image will run as root ${where}`);
  if (imageUser.uid === undefined)
    throw configError(
      `container has runAsNonRoot and image has non-numeric user (${imageUser.username}), cannot verify user is non-root ${where}`,
    );
}

const configError = (message: string): ContainerStartError =>
  new ContainerStartError("CreateContainerConfigError", message);
