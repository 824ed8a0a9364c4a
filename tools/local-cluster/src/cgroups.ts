import { existsSync, readdirSync, rmdirSync } from "node:fs";
import { join } from "node:path";

const CGROUP_ROOT = "/sys/fs/cgroup";

/** Removes a control group and those in it, deepest first. Ones that still hold processes stay. */
function removeTree(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) removeTree(join(folder, entry.name));
  try {
    rmdirSync(folder);
  } catch {
    // Busy: the kernel keeps it until its last process is gone.
  }
}

/** Removes what a node agent made below its control group root, in every hierarchy (cgroup v1) or the one there is (v2). */
export function removeCgroups(name: string): void {
  if (!existsSync(CGROUP_ROOT)) return;
  const hierarchies = [
    CGROUP_ROOT,
    ...readdirSync(CGROUP_ROOT, { withFileTypes: true })
      .filter((e) => e.isDirectory())
      .map((e) => join(CGROUP_ROOT, e.name)),
  ];
  for (const hierarchy of hierarchies) {
    const folder = join(hierarchy, name);
    if (existsSync(folder)) removeTree(folder);
  }
}
