import { readlinkSync } from "node:fs";
import { join } from "node:path";
import { type Logger, messageOf } from "@orchernetes/kernel";
import type { CgroupReader } from "../stats/host/cgroup-usage.ts";
import type { CgroupFiles } from "./cgroups/cgroup-files.ts";
import { cgroupPath, parseCgroupPath } from "./cgroups/cgroup-name.ts";

/** The control groups that processes of the host are moved to. */
export interface SystemGroupsOptions {
  /** The group of the agent (`orchletCgroups`); "" leaves it where it is. */
  readonly orchletCgroups: string;
  /** The group of processes that are in the root group (`systemCgroups`); "" leaves them there. */
  readonly systemCgroups: string;
  readonly files: CgroupFiles;
  readonly reader: CgroupReader;
  /** Where procfs is mounted. */
  readonly proc: string;
  /** The agent's own process. */
  readonly pid: number;
  readonly logger: Logger;
}

/**
 * Moves the agent to its group, and other processes that are in none to theirs. Groups are created if they are missing. Process 1 and
 * threads of the kernel stay. What cannot be moved is logged.
 */
export async function moveProcesses(options: SystemGroupsOptions): Promise<void> {
  const { orchletCgroups, systemCgroups, files, reader, proc, pid, logger } = options;
  const move = async (one: number, path: string): Promise<void> => {
    try {
      await files.addProcess(path, one);
    } catch (error) {
      // One that has just ended cannot be moved, either.
      logger
        .v(2)
        ?.info("A process could not be moved to its control group", { pid: one, path, error: messageOf(error) });
    }
  };
  if (orchletCgroups !== "") {
    const path = cgroupPath(parseCgroupPath(orchletCgroups));
    if (isOnHost(proc, pid) && !reader.processes(path).includes(pid)) await move(pid, path);
  }
  if (systemCgroups !== "") {
    const path = cgroupPath(parseCgroupPath(systemCgroups));
    for (const one of reader.processes("/"))
      if (one !== 1 && one !== pid && !isKernelThread(proc, one)) await move(one, path);
  }
}

/** An agent in a container must not leave the group by which the runtime knows it. */
function isOnHost(proc: string, pid: number): boolean {
  const namespaceOf = (one: number): string | undefined => {
    try {
      return readlinkSync(join(proc, String(one), "ns/pid"));
    } catch {
      return undefined;
    }
  };
  return namespaceOf(pid) === namespaceOf(1);
}

/** Threads of the kernel run no program; nor does a process that has ended. */
function isKernelThread(proc: string, pid: number): boolean {
  try {
    readlinkSync(join(proc, String(pid), "exe"));
    return false;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ENOENT";
  }
}
