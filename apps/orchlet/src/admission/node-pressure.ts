import { core } from "@orchernetes/api";
import { tolerationsTolerate } from "@orchernetes/component-helpers";
import type { NodeHealth } from "../node/conditions.ts";
import type { Refusal } from "../types/pod-failure.ts";
import { isCriticalPod } from "../types/pod-identity.ts";

const memoryPressureTaint: core.Taint = { key: "node.orchernetes.io/memory-pressure", effect: "NoSchedule" };

/**
 * Why a node under pressure rejects a pod: it accepts only critical pods; under memory pressure alone, also pods that are not best
 * effort or tolerate the pressure. Pure.
 */
export function refusalByPressure(pod: core.Pod, pressure: NodeHealth["pressure"]): Refusal | undefined {
  const { memory, disk, pids } = pressure;
  if (!(memory || disk || pids) || isCriticalPod(pod)) return undefined;
  if (memory && !disk && !pids) {
    if (core.podQosClass(pod.spec) !== "BestEffort" || tolerationsTolerate(pod.spec.tolerations, memoryPressureTaint))
      return undefined;
  }
  const conditions = [memory && "MemoryPressure", disk && "DiskPressure", pids && "PIDPressure"].filter(Boolean);
  return {
    reason: "Evicted",
    message: `The node had condition: [${conditions.join(" ")}]. `,
    dependsOnNode: false,
  };
}
