import { closeSync, constants, fstatSync, lstatSync, opendirSync, openSync, readSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { descriptorPath, entryPath, O_PATH, openFolderFlags } from "./open-files.ts";

/** Types of file systems (statfs(2)) whose files are in memory. */
const memoryTypes: ReadonlySet<number> = new Set([0x01021994, 0x858458f6]);

/**
 * Whether a path is on a tmpfs or ramfs. Reading from one waits for nothing, so it may be done at once: each call that another thread carries
 * out costs ten to twenty times as much.
 *
 * @throws Error if there is no such path
 */
export async function isInMemory(path: string): Promise<boolean> {
  return memoryTypes.has((await statfs(path)).type);
}

/**
 * As `readRegularFile`, from the start of a file in memory, at once.
 *
 * @returns undefined if it is no regular file, or has more bytes than that
 * @throws Error with code ENOENT when there is nothing
 */
export function readMemoryFile(path: string, maxBytes: number): Buffer | undefined {
  const pinned = openSync(path, O_PATH | constants.O_NOFOLLOW);
  try {
    const { size, isFile } = statOf(pinned);
    if (!isFile || size > maxBytes) return undefined;
    const file = openSync(
      descriptorPath({ fd: pinned }),
      constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY,
    );
    try {
      const buffer = Buffer.alloc(size);
      let at = 0;
      for (let read = -1; at < size && read !== 0; at += read) read = readSync(file, buffer, at, size - at, at);
      return buffer.subarray(0, at);
    } finally {
      closeSync(file);
    }
  } finally {
    closeSync(pinned);
  }
}

function statOf(fd: number): { readonly size: number; readonly isFile: boolean } {
  const found = fstatSync(fd);
  return { size: found.size, isFile: found.isFile() };
}

/**
 * Measures a folder in memory as `diskUsage` does, at once.
 *
 * @returns undefined if it is no folder, has more than so many entries, or changes meanwhile
 */
export function memoryUsage(
  path: string,
  maxEntries: number,
): { readonly bytes: number; readonly inodes: number } | undefined {
  const sum = { bytes: 0, inodes: 0, left: maxEntries, dev: 0, seen: new Set<number>() };
  try {
    const folder = openSync(path, openFolderFlags);
    try {
      const { dev, blocks } = fstatSync(folder);
      sum.dev = dev;
      sum.bytes = blocks * 512;
      sum.inodes = 1;
      return addContent(folder, sum) ? { bytes: sum.bytes, inodes: sum.inodes } : undefined;
    } finally {
      closeSync(folder);
    }
  } catch {
    return undefined;
  }
}

/** Adds what is in an open folder. @returns false if there is too much */
function addContent(
  fd: number,
  sum: { bytes: number; inodes: number; left: number; readonly dev: number; readonly seen: Set<number> },
): boolean {
  const entries = opendirSync(descriptorPath({ fd }), { encoding: "latin1" });
  try {
    for (let entry = entries.readSync(); entry !== null; entry = entries.readSync()) {
      if (sum.left-- <= 0) return false;
      const at = entryPath({ fd }, Buffer.from(entry.name, "latin1"));
      const found = lstatSync(at);
      if (found.dev !== sum.dev || sum.seen.has(found.ino)) continue;
      if (found.nlink > 1 && !found.isDirectory()) sum.seen.add(found.ino);
      sum.bytes += found.blocks * 512;
      sum.inodes += 1;
      if (!found.isDirectory()) continue;
      const inner = openSync(at, openFolderFlags);
      try {
        if (!addContent(inner, sum)) return false;
      } finally {
        closeSync(inner);
      }
    }
    return true;
  } finally {
    entries.closeSync();
  }
}
