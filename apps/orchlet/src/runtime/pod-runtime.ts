/** A sandbox as the runtime shows it. Times are milliseconds since the epoch. */
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

/** Where in its life a container is. */
export type ContainerPhase = "created" | "running" | "exited" | "unknown";

/** A container as the runtime shows it. Times are milliseconds since the epoch, 0 while not reached. */
export interface ContainerObservation {
  readonly id: string;
  readonly name: string;
  readonly sandboxId: string;
  /** How many copies of it came before. */
  readonly restartCount: number;
  readonly phase: ContainerPhase;
  readonly createdAtMs: number;
  readonly startedAtMs: number;
  readonly finishedAtMs: number;
  readonly exitCode: number;
  /** `Completed`, `Error`, `OOMKilled`, … */
  readonly reason: string;
  /** What the container left at its termination message path, or the end of its log, or what the runtime says. */
  readonly message: string;
  readonly image: string;
  readonly imageRef: string;
  readonly hash: string;
  readonly logPath: string;
  readonly annotations: Readonly<Record<string, string>>;
}

/** All the runtime has of one pod; newest first. */
export interface PodRuntime {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
  readonly sandboxes: readonly SandboxObservation[];
  readonly containers: readonly ContainerObservation[];
}

/** A pod of which the runtime has nothing. */
export function emptyRuntime(pod: {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
}): PodRuntime {
  return { uid: pod.uid, name: pod.name, namespace: pod.namespace, sandboxes: [], containers: [] };
}

/** The newest copy of a container. */
export function latestContainer(runtime: PodRuntime, name: string): ContainerObservation | undefined {
  return runtime.containers.find((container) => container.name === name);
}

/** The copy before the newest one. */
export function previousContainer(runtime: PodRuntime, name: string): ContainerObservation | undefined {
  return runtime.containers.filter((container) => container.name === name)[1];
}

/** The sandbox containers are to run in, if it can run any. */
export function readySandbox(runtime: PodRuntime): SandboxObservation | undefined {
  const newest = runtime.sandboxes[0];
  return newest?.ready ? newest : undefined;
}
