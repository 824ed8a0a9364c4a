import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { type FakeBus, startFakeBus } from "@orchernetes/host/dbus/testing";
import { parseSlice, slicePath } from "../container-manager/cgroups/cgroup-name.ts";
import type { HostFolders } from "../stats/host/host-files.ts";

const controllers = ["cpu", "cpuacct", "memory", "pids", "blkio", "hugetlb"];
const manager = { path: "/org/freedesktop/systemd1", interface: "org.freedesktop.systemd1.Manager" } as const;
const job = `${manager.path}/job/1`;

/** A host in a folder: the mount point of its control groups, and what the kernel shows. */
export interface CgroupHost {
  readonly folders: Required<HostFolders>;
  /** The text of a file of a group; undefined if there is none. */
  read(group: string, file: string): string | undefined;
  write(group: string, file: string, text: string): void;
  exists(group: string): boolean;
  /** Deletes a group with its files, which the kernel's rmdir would do. */
  readonly removeGroup: (path: string) => Promise<void>;
}

/** Makes a host without groups. 1000 threads and processes are possible on it. */
export function createCgroupHost(dir: string, version: 1 | 2): CgroupHost {
  const folders = { proc: join(dir, "proc"), cgroup: join(dir, "cgroup"), sys: join(dir, "sys") };
  const put = (path: string, text: string): void => {
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, text);
  };
  put(join(folders.proc, "sys/kernel/pid_max"), "4000\n");
  put(join(folders.proc, "sys/kernel/threads-max"), "1000\n");
  if (version === 2) put(join(folders.cgroup, "cgroup.controllers"), "cpu memory pids hugetlb\n");
  else for (const controller of controllers) mkdirSync(join(folders.cgroup, controller), { recursive: true });
  const treeOf = (file: string): string => {
    if (version === 2) return "";
    const [controller = ""] = file.split(".");
    return controllers.includes(controller) ? controller : "memory";
  };
  const pathOf = (group: string, file: string): string => join(folders.cgroup, treeOf(file), group, file);
  return {
    folders,
    read: (group, file) => {
      const path = pathOf(group, file);
      return existsSync(path) ? readFileSync(path, "utf8").trim() : undefined;
    },
    write: (group, file, text) => put(pathOf(group, file), text),
    exists: (group) => existsSync(pathOf(group, "")),
    removeGroup: (path) => rm(path, { recursive: true }),
  };
}

/** A system bus with systemd's manager on it, whose slices are folders of the host. */
export async function startFakeSystemd(
  socketPath: string,
  { folders, write, exists, removeGroup }: CgroupHost,
  resultOf: (unit: string) => string = () => "done",
): Promise<FakeBus> {
  const bus = await startFakeBus(socketPath, ({ member, body = [] }) => {
    const unit = String(body[0]);
    const group = slicePath(parseSlice(unit));
    const endJob = () =>
      bus.signal({ ...manager, member: "JobRemoved" }, { signature: "uoss", body: [1, job, unit, resultOf(unit)] });
    switch (member) {
      case "StartTransientUnit":
        write(group, "cgroup.procs", "");
        endJob();
        return { signature: "o", body: [job] };
      case "StopUnit":
        if (exists(group)) void removeGroup(join(folders.cgroup, group)).catch(() => undefined);
        endJob();
        return { signature: "o", body: [job] };
      case "Subscribe":
      case "SetUnitProperties":
        return { signature: "", body: [] };
      default:
        return undefined;
    }
  });
  return bus;
}
