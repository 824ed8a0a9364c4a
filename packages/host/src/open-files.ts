import { constants } from "node:fs";
import { type FileHandle, open, readFile } from "node:fs/promises";

/** O_PATH, which Node has no constant for: refers to an inode without reading it and without an effect on a FIFO or device. */
export const O_PATH = 0o10000000;

/** Opens a folder without following a link in its place. */
export const openFolderFlags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** A path to the inode of an open descriptor of this process. The kernel resolves no names. */
export const descriptorPath = ({ fd }: { readonly fd: number }): string => `/proc/self/fd/${fd}`;

/** A path to an entry of an open folder. Only the entry's own name is resolved. Names are bytes, not necessarily UTF-8. */
export function entryPath(folder: { readonly fd: number }, name: Buffer | string): Buffer {
  return Buffer.concat([Buffer.from(`${descriptorPath(folder)}/`), Buffer.from(name)]);
}

/**
 * Opens an entry of an open folder without following a link.
 * @throws Error with code ELOOP or ENOTDIR when a folder is expected and the entry is a link or not a folder
 */
export function openEntry(folder: { readonly fd: number }, name: Buffer | string, flags: number): Promise<FileHandle> {
  return open(entryPath(folder, name), flags | constants.O_NOFOLLOW);
}

/** Id of the mount of an open file or folder. Two bind mounts of one file system have the same device but different ids. */
export async function mountIdOf({ fd }: { readonly fd: number }): Promise<number> {
  return mountIdIn(await readFile(`/proc/self/fdinfo/${fd}`, "utf8"), fd);
}

/** Parses the mount id from a descriptor's fdinfo. @throws Error when there is none */
export function mountIdIn(text: string, fd: number): number {
  const id = /^mnt_id:\s*(\d+)$/m.exec(text)?.[1];
  if (id === undefined) throw new Error(`cannot find the mount of descriptor ${fd}: /proc/self/fdinfo has no mnt_id`);
  return Number(id);
}
