import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type CgroupFiles,
  type CgroupValue,
  type RemoveGroup,
  removeGroups,
  subfolders,
  writeGroup,
} from "./cgroup-files.ts";
import { type CgroupResources, cpuWeight, noLimit } from "./cgroup-resources.ts";

/** The period that the kernel has for a group without one; in µs. */
const defaultPeriodUs = 100_000;
const controllers = ["cpu", "memory", "pids", "cpuset", "io", "hugetlb"];

const amount = (value: number | undefined): number | string | undefined => (value === noLimit ? "max" : value);

function valuesOf(resources: CgroupResources): readonly CgroupValue[] {
  const { cpuShares, cpuQuotaUs, cpuPeriodUs = defaultPeriodUs } = resources;
  return [
    ["cpu.weight", cpuShares === undefined ? undefined : cpuWeight(cpuShares)],
    ["cpu.max", cpuQuotaUs === undefined ? undefined : `${amount(cpuQuotaUs)} ${cpuPeriodUs}`],
    ["memory.min", amount(resources.memoryMinBytes)],
    ["memory.high", amount(resources.memoryHighBytes)],
    ["memory.max", amount(resources.memoryBytes)],
    ["pids.max", amount(resources.pids)],
  ];
}

/**
 * Control groups of version 2: one tree for all controllers. Limits of huge pages are left out where the kernel has no such
 * controller.
 */
export function cgroupFilesV2(mountPoint: string, removeGroup?: RemoveGroup): CgroupFiles {
  return {
    async write(path, resources) {
      await createGroup(mountPoint, path);
      const group = join(mountPoint, path);
      const hugePages = [...(resources.hugePages ?? [])].map(
        ([size, bytes]) => [`hugetlb.${size}.max`, amount(bytes)] as const,
      );
      const isKnown = ([file]: CgroupValue): boolean => existsSync(join(group, file));
      await writeGroup(group, [...valuesOf(resources), ...hugePages.filter(isKnown)]);
    },
    async addProcess(path, pid) {
      await createGroup(mountPoint, path);
      await writeFile(join(mountPoint, path, "cgroup.procs"), `${pid}\n`, { flag: "a" });
    },
    children: (path) => subfolders(join(mountPoint, path)),
    remove: (path) => removeGroups(join(mountPoint, path), removeGroup),
  };
}

/** A group has a controller only if each of its ancestors enables the controller for its children. */
async function createGroup(mountPoint: string, path: string): Promise<void> {
  let at = mountPoint;
  for (const part of path.split("/").filter((one) => one !== "")) {
    await enableControllers(at);
    at = join(at, part);
    await mkdir(at, { recursive: true });
  }
}

async function enableControllers(group: string): Promise<void> {
  try {
    const available = (await readFile(join(group, "cgroup.controllers"), "utf8")).trim().split(" ");
    const wanted = controllers.filter((name) => available.includes(name)).map((name) => `+${name}`);
    if (wanted.length > 0) await writeFile(join(group, "cgroup.subtree_control"), wanted.join(" "));
  } catch {
    // Then files of the controller are missing below, and writing them names the file. Those of others may still be there.
  }
}
