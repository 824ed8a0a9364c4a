import type { Metrics } from "@orchernetes/component";
import type { Clock } from "@orchernetes/kernel";
import type { PodOutlines } from "../runtime/pod-outlines.ts";
import type { RuntimeReader } from "../runtime/runtime-reader.ts";

/** Wraps a reader so that its lists of all pods are measured, and what they contain is shown. */
export function measuredReader<R extends Pick<RuntimeReader, "outline">>(
  reader: R,
  metrics: Metrics,
  clock: Pick<Clock, "monotonicMs" | "nowMs">,
): R {
  const duration = metrics.histogram({
    name: "orchlet_pleg_relist_duration_seconds",
    help: "Duration in seconds for relisting pods in PLEG.",
  });
  const interval = metrics.histogram({
    name: "orchlet_pleg_relist_interval_seconds",
    help: "Interval in seconds between relisting in PLEG.",
  });
  const lastSeen = metrics.gauge({
    name: "orchlet_pleg_last_seen_seconds",
    help: "Timestamp in seconds when PLEG was last seen active.",
  });
  const pods = metrics.gauge({
    name: "orchlet_running_pods",
    help: "Number of pods that have a running pod sandbox",
  });
  const containers = metrics.gauge({
    name: "orchlet_running_containers",
    help: "Number of containers currently running",
    labelNames: ["container_state"],
  });
  let lastMs: number | undefined;
  let counted: PodOutlines | undefined;
  const count = (outline: PodOutlines): void => {
    let [runningPods, runningContainers] = [0, 0];
    for (const { running } of outline.values()) {
      if (running > 0) runningPods += 1;
      runningContainers += running;
    }
    pods.set(runningPods);
    containers.set(runningContainers, ["running"]);
    counted = outline;
  };
  return {
    ...reader,
    async outline() {
      const begunMs = clock.monotonicMs();
      if (lastMs !== undefined) interval.observe((begunMs - lastMs) / 1000);
      lastMs = begunMs;
      const outline = await reader.outline();
      duration.observe((clock.monotonicMs() - begunMs) / 1000);
      lastSeen.set(clock.nowMs() / 1000);
      if (outline !== counted) count(outline);
      return outline;
    },
  };
}
