import type { CgroupReader } from "../../stats/host/cgroup-usage.ts";
import type { CgroupFiles } from "./cgroup-files.ts";
import type { CgroupName } from "./cgroup-name.ts";
import type { CgroupResources } from "./cgroup-resources.ts";

/** How groups are named on the host, and which other program manages them (`cgroupDriver`). */
export interface CgroupDriver {
  /** The path of a group below the mount point, as runtimes with the same driver expect it. */
  pathOf(name: CgroupName): string;
  /** The name of a group whose path a configuration has. @throws Error if it is no such path */
  parse(path: string): CgroupName;
  /** Called before the files of a group are written. @throws Error */
  beforeWrite(name: CgroupName, resources: CgroupResources, exists: boolean): Promise<void>;
  /** Called before a group is deleted. @throws Error */
  beforeRemove(name: CgroupName): Promise<void>;
}

/** The control groups of the host, by name. */
export interface CgroupManager {
  /** Of the kernel's interface. */
  readonly version: 1 | 2;
  /** The path of a group below the mount point, as the runtime expects it. */
  pathOf(name: CgroupName): string;
  /** The name of a group whose path a configuration has. @throws Error if it is no such path */
  parse(path: string): CgroupName;
  exists(name: CgroupName): boolean;
  /** Creates a group with missing parents, or changes it. @throws Error with the file or unit that could not be set */
  apply(name: CgroupName, resources: CgroupResources): Promise<void>;
  /** Deletes a group with those below it, unless a process is in one. Idempotent. @returns whether nothing is left. @throws Error */
  remove(name: CgroupName): Promise<boolean>;
  /** The groups directly below a group that the driver may have made: with systemd, those of slices. */
  children(name: CgroupName): Promise<readonly CgroupName[]>;
  /** The processes of a group and those below it. */
  processes(name: CgroupName): readonly number[];
  memoryUsageBytes(name: CgroupName): number | undefined;
}

/** Creates the manager of a host's control groups with a driver. */
export function createCgroupManager({
  driver,
  files,
  reader,
}: {
  readonly driver: CgroupDriver;
  readonly files: CgroupFiles;
  readonly reader: CgroupReader;
}): CgroupManager {
  const exists = (name: CgroupName): boolean => reader.exists(driver.pathOf(name));
  const processesBelow = (path: string): readonly number[] => [
    ...reader.processes(path),
    ...reader.children(path).flatMap((child) => processesBelow(`${path}/${child}`)),
  ];
  return {
    version: reader.version,
    pathOf: (name) => driver.pathOf(name),
    parse: (path) => driver.parse(path),
    exists,
    async apply(name, resources) {
      await driver.beforeWrite(name, resources, exists(name));
      await files.write(driver.pathOf(name), resources);
    },
    async remove(name) {
      const path = driver.pathOf(name);
      if (processesBelow(path).length > 0) return false;
      if (exists(name)) await driver.beforeRemove(name);
      return files.remove(path);
    },
    async children(name) {
      const path = driver.pathOf(name);
      return (await files.children(path)).flatMap((child) => {
        const found = driver.parse(`${path}/${child}`);
        const isOurs =
          found.length === name.length + 1 && driver.pathOf(found) === `${path === "/" ? "" : path}/${child}`;
        return isOurs ? [found] : [];
      });
    },
    processes: (name) => processesBelow(driver.pathOf(name)),
    memoryUsageBytes: (name) => reader.memory(driver.pathOf(name))?.usageBytes,
  };
}
