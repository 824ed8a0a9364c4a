import type { Metrics } from "@orchernetes/component";
import type { Clock } from "@orchernetes/kernel";
import type { CgroupManager } from "./cgroup-manager.ts";

/** Wraps a manager so that the time of its changes is measured. */
export function measuredCgroups(
  manager: CgroupManager,
  metrics: Metrics,
  clock: Pick<Clock, "monotonicMs">,
): CgroupManager {
  const duration = metrics.histogram({
    name: "orchlet_cgroup_manager_duration_seconds",
    help: "Duration in seconds for cgroup manager operations. Broken down by method.",
    labelNames: ["operation_type"],
  });
  const measured = async <T>(operation: string, work: () => Promise<T>): Promise<T> => {
    const begunMs = clock.monotonicMs();
    try {
      return await work();
    } finally {
      duration.observe((clock.monotonicMs() - begunMs) / 1000, [operation]);
    }
  };
  return {
    ...manager,
    apply: (name, resources) =>
      measured(manager.exists(name) ? "update" : "create", () => manager.apply(name, resources)),
    remove: (name) => measured("destroy", () => manager.remove(name)),
  };
}
