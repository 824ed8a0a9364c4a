import type { core } from "@orchernetes/api";
import type { Tracer } from "@orchernetes/component";
import type { Clock, Logger } from "@orchernetes/kernel";
import type { PodAdmission } from "../admission/pod-admission.ts";
import type { PodFacts } from "../objects/field-refs.ts";
import type { ProbeManager } from "../probes/probe-manager.ts";
import type { PodRuntime } from "../runtime/pod-runtime.ts";
import type { RuntimeReader } from "../runtime/runtime-reader.ts";
import type { StatusManager } from "../status/status-manager.ts";
import type { ContainerKind } from "../types/pod-identity.ts";
import type { BackoffPolicy } from "../util/backoff.ts";
import type { ContentSources } from "../volumes/content.ts";
import type { VolumeManager } from "../volumes/volume-manager.ts";
import type { ContainerKiller } from "./container-killer.ts";
import type { PodStarter } from "./pod-starter.ts";

/** What the workers of all pods share. */
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
  /** Waits between crashes of containers. */
  readonly crashBackoff: BackoffPolicy;
  /** How long a pod that nothing happens to is left alone. */
  readonly syncMs: number;
  readonly hostIPs: () => readonly string[];
  readonly facts: (pod: core.Pod, runtime: PodRuntime) => PodFacts;
  readonly contentSources: (pod: core.Pod, runtime: PodRuntime) => ContentSources;
  readonly admission: PodAdmission;
  readonly say: (
    pod: core.Pod,
    container: { readonly kind: ContainerKind; readonly name: string } | undefined,
    type: "Normal" | "Warning",
    reason: string,
    message: string,
  ) => void;
  /** Removes volumes and control groups of a terminated pod. Files that its status and logs are read from stay. */
  readonly release: (runtime: PodRuntime) => Promise<void>;
  /** Removes everything that is left of a pod on this node. */
  readonly clear: (runtime: PodRuntime) => Promise<void>;
  /** Tells the API server that a deleted pod has ended. */
  readonly deletePod: (pod: core.Pod) => Promise<void>;
  /** Records what is done for pods. */
  readonly tracer?: Tracer | undefined;
}
