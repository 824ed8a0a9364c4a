import type { core } from "@orchernetes/api";
import type { Init, LinuxContainerSecurityContext, NamespaceOption, SecurityProfile } from "@orchernetes/cri";
import { appArmorOf } from "../admission/app-armor.ts";
import { ContainerStartError } from "../types/start-error.ts";

/** Paths that are hidden from containers with `procMount: Default`, as runtimes hide them by default. */
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
/** Paths that are read-only in containers with `procMount: Default`. */
const readonlyPaths = ["/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger"];

/** The node's settings for seccomp. */
export interface SecurityDefaults {
  /** Whether containers without a profile get the runtime's default profile (`seccompDefault`). */
  readonly seccompDefault: boolean;
  /** Folder of localhost profiles. */
  readonly seccompDir: string;
}

/**
 * The Linux namespaces of a container, or of the sandbox.
 *
 * @param targetId container whose process namespace an ephemeral container joins (`targetContainerName`)
 */
export function namespacesOf(spec: core.PodSpec, targetId?: string): Init<NamespaceOption> {
  // A process namespace that is shared already contains the target.
  const own = targetId === undefined ? "CONTAINER" : "TARGET";
  const pid = spec.hostPID ? "NODE" : spec.shareProcessNamespace ? "POD" : own;
  return {
    network: spec.hostNetwork ? "NODE" : "POD",
    ipc: spec.hostIPC ? "NODE" : "POD",
    pid,
    ...(pid === "TARGET" && targetId !== undefined ? { targetId } : {}),
  };
}

/** Converts a seccomp profile to the terms of the CRI. */
function seccompOf(
  profile: core.SeccompProfile | undefined,
  { seccompDefault, seccompDir }: SecurityDefaults,
): Init<SecurityProfile> {
  if (profile === undefined) return { profileType: seccompDefault ? "RuntimeDefault" : "Unconfined" };
  if (profile.type === "Localhost")
    return { profileType: "Localhost", localhostRef: `${seccompDir}/${profile.localhostProfile ?? ""}` };
  return { profileType: profile.type };
}

/** The supplemental groups of all processes of a pod: those that it names, and the group of its volumes (`fsGroup`). */
export function supplementalGroupsOf(context: core.PodSecurityContext | undefined): readonly number[] {
  return [...(context?.supplementalGroups ?? []), ...(context?.fsGroup === undefined ? [] : [context.fsGroup])];
}

/**
 * User, privileges and confinement of a container, in the terms of the CRI. Settings of the container override those of
 * its pod.
 *
 * @throws ContainerStartError if `runAsNonRoot` is set and the container would run as root, or its user cannot be
 *   verified
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
  if (nonRoot) requireNonRoot(runAsUser, container.name, options);
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
    // Without `runAsUser`, the container runs as the user of its image. The CRI requires a user if a group is set.
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

/** @throws ContainerStartError with the original's messages, by which users search */
function requireNonRoot(
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
