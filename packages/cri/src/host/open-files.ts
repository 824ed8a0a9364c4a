import { constants } from "node:fs";
import { type FileHandle, open, readFile } from "node:fs/promises";

/** Opens an inode to name it, without reading it and without any effect on a FIFO or device. Node has no name for this flag. */
export const O_PATH = 0o10000000;

/** Opens a folder itself, never what a link in its place leads to. */
export const openFolderFlags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** The path of what a descriptor of this process holds. The kernel goes to that inode; no name is looked up again. */
export const descriptorPath = ({ fd }: { readonly fd: number }): string => `/proc/self/fd/${fd}`;

/** The path of an entry of an open folder. Only the entry's own name is looked up. Names are bytes: not every name is UTF-8. */
export function entryPath(folder: { readonly fd: number }, name: Buffer | string): Buffer {
  return Buffer.concat([Buffer.from(`${descriptorPath(folder)}/`), Buffer.from(name)]);
}

/**
 * Opens an entry of an open folder without following a link.
 * @throws Error with code ELOOP or ENOTDIR when a link, or no folder, is in the place of a wanted folder
 */
export function openEntry(folder: { readonly fd: number }, name: Buffer | string, flags: number): Promise<FileHandle> {
  return open(entryPath(folder, name), flags | constants.O_NOFOLLOW);
}

/** The mount that an open file or folder was reached through. Two bind mounts of one file system have the same device, not the same id. */
export async function mountIdOf({ fd }: { readonly fd: number }): Promise<number> {
  return mountIdIn(await readFile(`/proc/self/fdinfo/${fd}`, "utf8"), fd);
}

/** The mount in what the kernel tells of a descriptor. @throws Error when there is none */
export function mountIdIn(text: string, fd: number): number {
  const id = /^mnt_id:\s*(\d+)$/m.exec(text)?.[1];
  if (id === undefined) throw new Error(`cannot find the mount of descriptor ${fd}: /proc/self/fdinfo has no mnt_id`);
  return Number(id);
}
