import type { core } from "@orchernetes/api";
import type { Clock, Logger } from "@orchernetes/kernel";
import type { Tracer } from "@orchernetes/tracing";
import type { PodAdmission } from "../admission/pod-admission.ts";
import type { PodLifeMetrics } from "../metrics/pod-life-metrics.ts";
import type { PodFacts } from "../objects/field-refs.ts";
import type { ProbeManager } from "../probes/probe-manager.ts";
import type { PodRuntime } from "../runtime/pod-runtime.ts";
import type { RuntimeReader } from "../runtime/runtime-reader.ts";
import type { StatusManager } from "../status/status-manager.ts";
import type { ContainerKind } from "../types/pod-identity.ts";
import type { BackoffPolicy } from "../util/backoff.ts";
import type { ContentSources } from "../volumes/content/content.ts";
import type { VolumeManager } from "../volumes/volume-manager.ts";
import type { ContainerKiller } from "./container-killer.ts";
import type { PodStarter } from "./pod-starter.ts";

/** The services that the workers of all pods share. */
export interface PodWorkerServices {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  readonly reader: RuntimeReader;
  readonly starter: PodStarter;
  readonly killer: ContainerKiller;
  readonly volumes: VolumeManager;
  readonly probes: ProbeManager;
  readonly statuses: StatusManager;
  /** Delays between restarts of crashing containers. */
  readonly crashBackoff: BackoffPolicy;
  /** Maximum time between two rounds of a pod, in milliseconds. */
  readonly syncMs: number;
  readonly hostIPs: () => readonly string[];
  readonly facts: (pod: core.Pod, runtime: PodRuntime) => PodFacts;
  readonly contentSources: (pod: core.Pod, runtime: PodRuntime) => ContentSources;
  readonly admission: PodAdmission;
  readonly recordEvent: (
    pod: core.Pod,
    container: { readonly kind: ContainerKind; readonly name: string } | undefined,
    type: "Normal" | "Warning",
    reason: string,
    message: string,
  ) => void;
  /** Removes volumes and control groups of a terminated pod. The files of its status and logs stay. */
  readonly release: (runtime: PodRuntime) => Promise<void>;
  /** Removes everything of a pod from this node. */
  readonly clear: (runtime: PodRuntime) => Promise<void>;
  /** Removes a deleted pod, which has terminated, from the API server. */
  readonly deletePod: (pod: core.Pod) => Promise<void>;
  /** Measures the pods and the work on them. @default they are not measured */
  readonly lives?: PodLifeMetrics;
  /** Traces the rounds of pods; undefined if tracing is not configured. */
  readonly tracer?: Tracer | undefined;
}
