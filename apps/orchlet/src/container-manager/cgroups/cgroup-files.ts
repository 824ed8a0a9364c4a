import { existsSync } from "node:fs";
import { mkdir, readdir, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { messageOf } from "@orchernetes/kernel";
import type { CgroupResources } from "./cgroup-resources.ts";

/** Changes the control groups of a host, in the way of one version. Paths are below the mount point, such as `/orchpods`. */
export interface CgroupFiles {
  /**
   * Creates the group with missing parents, and writes what is given.
   *
   * @throws Error that names the file, for the first that cannot be written
   */
  write(path: string, resources: CgroupResources): Promise<void>;
  /** Moves a process to a group, which is created if it is missing. @throws Error that names the file */
  addProcess(path: string, pid: number): Promise<void>;
  /** Names of the groups directly below a group, in any tree. */
  children(path: string): Promise<readonly string[]>;
  /** Deletes the group and what is below it, as far as no process is in it. Idempotent. @returns whether nothing is left */
  remove(path: string): Promise<boolean>;
}

/** Deletes a group; the kernel refuses it while the group is in use. */
export type RemoveGroup = (path: string) => Promise<void>;

/** A file of a group and what to write to it. */
export type CgroupValue = readonly [file: string, value: number | string | undefined];

/**
 * Creates a folder, and writes its files in their order.
 *
 * @throws Error that names the file
 */
export async function writeGroup(folder: string, values: readonly CgroupValue[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [file, value] of values) {
    if (value === undefined) continue;
    const path = join(folder, file);
    try {
      await writeFile(path, String(value));
    } catch (error) {
      throw new Error(`cannot write ${JSON.stringify(String(value))} to ${path}: ${messageOf(error)}`, {
        cause: error,
      });
    }
  }
}

/** Names of the folders in a folder; none if it does not exist. */
export async function subfolders(path: string): Promise<readonly string[]> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

/**
 * Deletes a group and those below it, innermost first.
 *
 * @returns whether nothing is left
 */
export async function removeGroups(folder: string, remove: RemoveGroup = rmdir): Promise<boolean> {
  if (!existsSync(folder)) return true;
  for (const name of await subfolders(folder)) await removeGroups(join(folder, name), remove);
  // A process may be in it still, or somebody else has removed it.
  await remove(folder).catch(() => undefined);
  return !existsSync(folder);
}
