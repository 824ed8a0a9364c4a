import { join } from "node:path";
import type { core } from "@orchernetes/api";
import type {
  ContainerConfig,
  Device,
  Init,
  LinuxContainerResources,
  LinuxContainerSecurityContext,
  Mount,
} from "@orchernetes/cri";
import {
  containerNameLabel,
  gracePeriodAnnotation,
  hashAnnotation,
  podNameLabel,
  podNamespaceLabel,
  podUidLabel,
  preStopAnnotation,
  restartCountAnnotation,
  terminationMessagePathAnnotation,
  terminationMessagePolicyAnnotation,
} from "../runtime/labels.ts";
import { containerHash } from "../types/container.ts";
import { identityOf } from "../types/pod-identity.ts";
import { expandAll } from "./expand.ts";

/** Default of `terminationMessagePath`: the file whose content becomes the message of the terminated state. */
export const defaultTerminationMessagePath = "/dev/termination-log";

/**
 * The CRI configuration of a container. Pure.
 *
 * Labels and annotations hold everything that a restarted agent must know about the container without its pod, such as
 * how to stop it.
 */
export function containerConfigOf(
  pod: core.Pod,
  container: core.Container,
  options: {
    readonly imageRef: string;
    readonly restartCount: number;
    readonly environment: ReadonlyMap<string, string>;
    readonly mounts: readonly Init<Mount>[];
    readonly devices: readonly Init<Device>[];
    /** Fully qualified names of the container device interface. */
    readonly cdiDevices: readonly { readonly name: string }[];
    /** Those of devices. The agent's own override them. */
    readonly annotations: Readonly<Record<string, string>>;
    readonly resources: Init<LinuxContainerResources>;
    readonly security: Init<LinuxContainerSecurityContext>;
  },
): Init<ContainerConfig> {
  const { restartCount, environment, mounts, resources, security } = options;
  const { uid, name, namespace } = identityOf(pod);
  const lookup = (variable: string) => environment.get(variable);
  const preStop = container.lifecycle?.preStop;
  return {
    metadata: { name: container.name, attempt: restartCount },
    image: { image: options.imageRef },
    // `$(NAME)` is expanded by the agent, not by a shell: images may not contain one.
    command: expandAll(container.command ?? [], lookup),
    args: expandAll(container.args ?? [], lookup),
    workingDir: container.workingDir ?? "",
    envs: [...environment].map(([key, value]) => ({ key, value })),
    mounts,
    devices: options.devices,
    cdiDevices: options.cdiDevices,
    labels: {
      [podNameLabel]: name,
      [podNamespaceLabel]: namespace,
      [podUidLabel]: uid,
      [containerNameLabel]: container.name,
    },
    annotations: {
      ...options.annotations,
      [hashAnnotation]: containerHash(container),
      [restartCountAnnotation]: String(restartCount),
      [terminationMessagePathAnnotation]: container.terminationMessagePath || defaultTerminationMessagePath,
      [terminationMessagePolicyAnnotation]: container.terminationMessagePolicy ?? "File",
      [gracePeriodAnnotation]: String(pod.spec.terminationGracePeriodSeconds ?? 30),
      ...(preStop === undefined ? {} : { [preStopAnnotation]: JSON.stringify(preStop) }),
    },
    // Relative to the sandbox's log directory.
    logPath: join(container.name, `${restartCount}.log`),
    stdin: container.stdin ?? false,
    stdinOnce: container.stdinOnce ?? false,
    tty: container.tty ?? false,
    linux: { resources, securityContext: security },
  };
}
