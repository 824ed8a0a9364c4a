import { existsSync } from "node:fs";
import { join } from "node:path";
import type { CgroupReader } from "./cgroup-usage.ts";
import { cgroupV1 } from "./cgroup-v1.ts";
import { cgroupV2 } from "./cgroup-v2.ts";
import type { HostFolders } from "./host-files.ts";

/** The reader for the version that this host has. A file of that name exists only at the root of cgroup v2. */
export function openCgroups({ cgroup = "/sys/fs/cgroup", proc = "/proc" }: HostFolders = {}): CgroupReader {
  return existsSync(join(cgroup, "cgroup.controllers")) ? cgroupV2(cgroup, proc) : cgroupV1(cgroup);
}
