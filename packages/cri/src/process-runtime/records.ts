import type { ContainerConfig, ContainerState } from "../v1/container.ts";
import type { PodSandboxConfig, PodSandboxState } from "../v1/sandbox.ts";

/** A sandbox as the process runtime stores it, as JSON. */
export interface SandboxRecord {
  readonly id: string;
  readonly config: PodSandboxConfig;
  readonly runtimeHandler: string;
  readonly ip: string;
  readonly createdAt: bigint;
  /** The boot in which it was created. After a reboot it is not ready, since its containers are gone. */
  readonly bootId: string;
  state: PodSandboxState;
}

/** Identifies a process even after its pid was reused. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Clock ticks since boot, from `/proc/<pid>/stat`. */
  readonly startTime: string;
}

/** A container as the process runtime stores it, as JSON. */
export interface ContainerRecord {
  readonly id: string;
  readonly podSandboxId: string;
  readonly config: ContainerConfig;
  /** Absolute; empty for no log. */
  readonly logPath: string;
  readonly createdAt: bigint;
  state: ContainerState;
  startedAt: bigint;
  finishedAt: bigint;
  exitCode: number;
  reason: string;
  message: string;
  /** The container's main process, leader of its session and group. */
  process?: ProcessIdentity | undefined;
  /** The shell that waits for it. */
  shim?: ProcessIdentity | undefined;
  /** Whether standard input was closed, which is final. */
  stdinClosed: boolean;
}
