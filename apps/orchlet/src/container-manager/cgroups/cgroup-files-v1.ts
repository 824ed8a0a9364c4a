import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type CgroupFiles,
  type CgroupValue,
  type RemoveGroup,
  removeGroups,
  subfolders,
  writeGroup,
} from "./cgroup-files.ts";
import { type CgroupResources, noLimit } from "./cgroup-resources.ts";

/** The controllers whose groups the agent's own processes move to. Others, such as that of systemd, belong to somebody else. */
const processControllers = ["cpu", "cpuacct", "memory", "pids", "blkio"];

/** The files of each controller, in the order in which the kernel accepts them. */
function valuesOf(resources: CgroupResources): Readonly<Record<string, readonly CgroupValue[]>> {
  const { pids, hugePages } = resources;
  return {
    cpu: [
      ["cpu.shares", resources.cpuShares],
      ["cpu.cfs_period_us", resources.cpuPeriodUs],
      ["cpu.cfs_quota_us", resources.cpuQuotaUs],
    ],
    memory: [["memory.limit_in_bytes", resources.memoryBytes]],
    pids: [["pids.max", pids === noLimit ? "max" : pids]],
    hugetlb: [...(hugePages ?? [])].map(([size, bytes]) => [`hugetlb.${size}.limit_in_bytes`, bytes] as const),
  };
}

/**
 * Control groups of version 1: each controller has a tree of its own below the mount point. Limits of huge pages are left out where
 * the kernel has no such controller.
 */
export function cgroupFilesV1(mountPoint: string, removeGroup?: RemoveGroup): CgroupFiles {
  const isMounted = (controller: string): boolean => existsSync(join(mountPoint, controller));
  return {
    async write(path, resources) {
      for (const [controller, values] of Object.entries(valuesOf(resources))) {
        const isGiven = values.some(([, value]) => value !== undefined);
        // Groups of CPU and memory are created in any case, because other code looks for a group in these trees.
        if (!isGiven && controller !== "cpu" && controller !== "memory") continue;
        if (isMounted(controller)) await writeGroup(join(mountPoint, controller, path), values);
        else if (isGiven && controller !== "hugetlb")
          throw new Error(`cannot set up control group ${path}: there is no controller ${controller} at ${mountPoint}`);
      }
    },
    async addProcess(path, pid) {
      for (const controller of processControllers.filter(isMounted)) {
        const group = join(mountPoint, controller, path);
        await writeGroup(group, []);
        await writeFile(join(group, "cgroup.procs"), `${pid}\n`, { flag: "a" });
      }
    },
    async children(path) {
      const names = new Set<string>();
      for (const tree of await subfolders(mountPoint))
        for (const name of await subfolders(join(mountPoint, tree, path))) names.add(name);
      return [...names];
    },
    async remove(path) {
      const removed: boolean[] = [];
      for (const tree of await subfolders(mountPoint))
        removed.push(await removeGroups(join(mountPoint, tree, path), removeGroup));
      return removed.every(Boolean);
    },
  };
}
