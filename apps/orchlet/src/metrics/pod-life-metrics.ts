import type { core } from "@orchernetes/api";
import { parseTime } from "@orchernetes/apimachinery";
import type { Metrics } from "@orchernetes/component";
import type { Clock } from "@orchernetes/kernel";
import { isStaticPod } from "../types/pod-identity.ts";

/** What the work on a pod was for: to start it, to follow a new version of it, to keep it as it should be, or to end it. */
export type PodOperation = "create" | "update" | "sync" | "kill";

/** Measures what happens to pods between their arrival and their end. */
export interface PodLifeMetrics {
  /** A pod of a source has arrived. */
  added(uid: string, pod: core.Pod): void;
  /** The first work on a pod begins. */
  begun(uid: string): void;
  /** Work on a pod has ended. */
  worked(operation: PodOperation, seconds: number): void;
  /** An image of a pod was pulled, which does not count as its start. */
  pulled(uid: string, ms: number): void;
  /** The status of a pod was computed. */
  status(uid: string, status: core.PodStatus): void;
  /** A pod of the same uid starts again. */
  restarted(pod: core.Pod): void;
  /** Nothing of a pod is left. */
  forget(uid: string): void;
}

/** A pod that has not started yet. */
interface StartingPod {
  readonly pod: core.Pod;
  readonly addedMs: number;
  pulledMs: number;
  isRunning: boolean;
}

const startBuckets = [
  0.5, 1, 2, 3, 4, 5, 6, 8, 10, 20, 30, 45, 60, 120, 180, 240, 300, 360, 480, 600, 900, 1200, 1800, 2700, 3600,
];

/** Adds the metrics of the start of pods and of the work on them. */
export function addPodLifeMetrics(metrics: Metrics, clock: Pick<Clock, "monotonicMs" | "nowMs">): PodLifeMetrics {
  const starting = new Map<string, StartingPod>();
  const perPod = metrics.histogram({
    name: "orchlet_containers_per_pod_count",
    help: "The number of containers per pod.",
    buckets: [1, 2, 4, 8, 16],
  });
  const work = metrics.histogram({
    name: "orchlet_pod_worker_duration_seconds",
    help: "Duration in seconds to sync a single pod. Broken down by operation type: create, update, or sync",
    labelNames: ["operation_type"],
  });
  const workStart = metrics.histogram({
    name: "orchlet_pod_worker_start_duration_seconds",
    help: "Duration in seconds from orchlet seeing a pod to starting a worker.",
  });
  const start = metrics.histogram({
    name: "orchlet_pod_start_duration_seconds",
    help: "Duration in seconds from orchlet seeing a pod for the first time to the pod starting to run",
  });
  const objective = metrics.histogram({
    name: "orchlet_pod_start_sli_duration_seconds",
    help: "Duration in seconds from the creation of a pod until the watch shows all its containers as started, without image pulls and init containers",
    buckets: startBuckets,
  });
  const restarts = metrics.counter({
    name: "orchlet_restarted_pods_total",
    help: "Number of pods that were restarted because they were deleted and created again with the same UID, such as static pods whose file was written again",
    labelNames: ["static"],
  });
  return {
    added(uid, pod) {
      perPod.observe(pod.spec.containers.length);
      const { phase = "Pending" } = pod.status;
      // An earlier agent has started it.
      if (phase === "Pending") starting.set(uid, { pod, addedMs: clock.monotonicMs(), pulledMs: 0, isRunning: false });
    },
    begun(uid) {
      const known = starting.get(uid);
      if (known !== undefined) workStart.observe((clock.monotonicMs() - known.addedMs) / 1000);
    },
    worked: (operation, seconds) => work.observe(seconds, [operation]),
    pulled(uid, ms) {
      const known = starting.get(uid);
      if (known !== undefined) known.pulledMs += ms;
    },
    status(uid, { phase, containerStatuses = [] }) {
      const known = starting.get(uid);
      if (known === undefined || phase === undefined || phase === "Pending") return;
      if (phase === "Running" && !known.isRunning) start.observe((clock.monotonicMs() - known.addedMs) / 1000);
      known.isRunning = true;
      const isStarted = phase === "Running" && containerStatuses.every(({ state }) => state?.running !== undefined);
      if (phase === "Running" && !isStarted) return;
      starting.delete(uid);
      const { creationTimestamp } = known.pod.metadata;
      if (!isStarted || !creationTimestamp || isStaticPod(known.pod)) return;
      const ms = clock.nowMs() - parseTime(creationTimestamp).getTime() - known.pulledMs;
      objective.observe(Math.max(0, ms) / 1000);
    },
    restarted: (pod) => restarts.inc([isStaticPod(pod) ? "true" : ""]),
    forget: (uid) => void starting.delete(uid),
  };
}
