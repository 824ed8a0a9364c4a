import { existsSync, readdirSync, readFileSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const cgroupMount = "/sys/fs/cgroup";
const attempts = 50;
const pauseMs = 100;

/** A control group and its descendants, deepest first. */
function groupsIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  const inner = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return [...inner.flatMap(({ name }) => groupsIn(join(folder, name))), folder];
}

/** Kills the processes of a group. The group belongs to one cluster, and so do its processes. */
function killMembers(folder: string): void {
  let members = "";
  try {
    members = readFileSync(join(folder, "cgroup.procs"), "utf8");
  } catch {
    // The group has been removed since it was listed.
  }
  for (const pid of members.split("\n").filter((line) => Number(line) > 0)) {
    try {
      process.kill(Number(pid), "SIGKILL");
    } catch {
      // The process has exited since the list was read.
    }
  }
}

/**
 * Removes the root control group of a node agent's pods and its descendants, in every hierarchy (cgroup v1) or the only one (v2).
 * Processes that still run there are killed. Idempotent.
 *
 * @returns groups that could not be removed within some seconds
 */
export async function removeCgroups(name: string, root = cgroupMount): Promise<readonly string[]> {
  if (!/^\w[\w.-]*$/.test(name))
    throw new Error(`cannot remove control group ${JSON.stringify(name)}: want a plain name`);
  if (!existsSync(root)) return [];
  const hierarchies = [
    root,
    ...readdirSync(root, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => join(root, entry.name)),
  ];
  const left = (): readonly string[] => hierarchies.flatMap((hierarchy) => groupsIn(join(hierarchy, name)));
  for (let attempt = 0; attempt < attempts; attempt++) {
    const groups = left();
    if (groups.length === 0) return [];
    // The kernel keeps a group until its last process has been reaped.
    if (attempt > 0) await sleep(pauseMs);
    for (const group of groups) {
      killMembers(group);
      try {
        rmdirSync(group);
      } catch {
        // The group still has processes; the next attempt follows after a pause.
      }
    }
  }
  return left();
}
