import { createMetrics } from "@orchernetes/component";
import { FakeClock } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import type { CgroupManager } from "./cgroup-manager.ts";
import { measuredCgroups } from "./measured-cgroups.ts";

test("changes of groups are measured by operation, including those that fail", async () => {
  const clock = new FakeClock();
  const metrics = createMetrics();
  let isThere = false;
  const manager = measuredCgroups(
    {
      exists: () => isThere,
      async apply() {
        clock.advance(2000);
        isThere = true;
      },
      async remove() {
        clock.advance(1000);
        throw new Error("busy");
      },
    } as unknown as CgroupManager,
    metrics,
    clock,
  );
  await manager.apply(["a"], {});
  await manager.apply(["a"], {});
  await expect(manager.remove(["a"])).rejects.toThrow("busy");
  const page = metrics.render(new Set(["orchlet_cgroup_manager_duration_seconds"]));
  for (const [operation, seconds] of [
    ["create", 2],
    ["update", 2],
    ["destroy", 1],
  ])
    expect(page).toContain(`_sum{operation_type="${operation}"} ${seconds}\n`);
});
