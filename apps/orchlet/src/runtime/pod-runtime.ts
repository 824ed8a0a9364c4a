/** The state of a sandbox in the runtime. Times are in milliseconds since the epoch. */
export interface SandboxObservation {
  readonly id: string;
  readonly attempt: number;
  readonly ready: boolean;
  readonly createdAtMs: number;
  /** Empty for a sandbox in the host's network. */
  readonly ips: readonly string[];
  readonly hostNetwork: boolean;
  readonly annotations: Readonly<Record<string, string>>;
}

/** The state of a container in its life cycle, as the CRI defines it. */
export type ContainerPhase = "created" | "running" | "exited" | "unknown";

/** The state of a container in the runtime. Times are in milliseconds since the epoch; 0 if not yet reached. */
export interface ContainerObservation {
  readonly id: string;
  readonly name: string;
  readonly sandboxId: string;
  /** Number of earlier instances of the container. */
  readonly restartCount: number;
  readonly phase: ContainerPhase;
  readonly createdAtMs: number;
  readonly startedAtMs: number;
  readonly finishedAtMs: number;
  readonly exitCode: number;
  /** `Completed`, `Error`, `OOMKilled`, … */
  readonly reason: string;
  /** The termination message: from the file at its path, the end of the log, or the runtime. */
  readonly message: string;
  readonly image: string;
  readonly imageRef: string;
  readonly hash: string;
  readonly logPath: string;
  readonly annotations: Readonly<Record<string, string>>;
}

/** All sandboxes and containers of one pod, each newest first. */
export interface PodRuntime {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
  readonly sandboxes: readonly SandboxObservation[];
  readonly containers: readonly ContainerObservation[];
}

/** A pod without sandboxes and containers. */
export function emptyRuntime(pod: {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
}): PodRuntime {
  return { uid: pod.uid, name: pod.name, namespace: pod.namespace, sandboxes: [], containers: [] };
}

/** The newest instance of a container. */
export function latestContainer(runtime: PodRuntime, name: string): ContainerObservation | undefined {
  return runtime.containers.find((container) => container.name === name);
}

/** The instance before the newest one. */
export function previousContainer(runtime: PodRuntime, name: string): ContainerObservation | undefined {
  return runtime.containers.filter((container) => container.name === name)[1];
}

/** The sandbox in which containers are started: the newest one, if it is ready. */
export function readySandbox(runtime: PodRuntime): SandboxObservation | undefined {
  const newest = runtime.sandboxes[0];
  return newest?.ready ? newest : undefined;
}
