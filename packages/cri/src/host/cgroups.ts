import { existsSync, readdirSync, readFileSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const cgroupMount = "/sys/fs/cgroup";
const attempts = 50;
const pauseMs = 100;

/** A control group and those in it, deepest first. */
function groupsIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  const inner = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return [...inner.flatMap(({ name }) => groupsIn(join(folder, name))), folder];
}

/** Ends what still runs in a group. The group is of one cluster alone: so are its processes. */
function killMembers(folder: string): void {
  let members = "";
  try {
    members = readFileSync(join(folder, "cgroup.procs"), "utf8");
  } catch {
    // The group went away.
  }
  for (const pid of members.split("\n").filter((line) => Number(line) > 0)) {
    try {
      process.kill(Number(pid), "SIGKILL");
    } catch {
      // It ended meanwhile.
    }
  }
}

/**
 * Removes the control group that a node agent made its pods' groups in, with all that is in it, in every hierarchy (cgroup v1) or the
 * one there is (v2). What still runs there is killed. Idempotent.
 *
 * @returns groups that are left after some seconds
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
    // The kernel keeps a group until the last process in it is gone for good.
    if (attempt > 0) await sleep(pauseMs);
    for (const group of groups) {
      killMembers(group);
      try {
        rmdirSync(group);
      } catch {
        // Busy: again after a moment.
      }
    }
  }
  return left();
}
