import { lstatSync, statfsSync } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { readText } from "./host-files.ts";

/** Space and inodes of a file system, and what is used of them: by everybody, or by one owner. */
export interface FileSystemUsage {
  readonly availableBytes: number;
  readonly capacityBytes: number;
  readonly usedBytes: number;
  readonly inodesFree: number;
  readonly inodes: number;
  readonly inodesUsed: number;
}

/** The file system that contains a path; undefined if there is no such path. */
export function fileSystemUsage(path: string): FileSystemUsage | undefined {
  try {
    const fs = statfsSync(path);
    return {
      availableBytes: fs.bavail * fs.bsize,
      capacityBytes: fs.blocks * fs.bsize,
      usedBytes: (fs.blocks - fs.bfree) * fs.bsize,
      inodesFree: fs.ffree,
      inodes: fs.files,
      inodesUsed: fs.files - fs.ffree,
    };
  } catch {
    return undefined;
  }
}

/** What the files of a folder use. */
export interface FolderUsage {
  readonly usedBytes: number;
  readonly inodesUsed: number;
}

/** Files of a folder that are counted; a container's log has a few. */
const maxFiles = 1000;

/** The disk blocks of a folder and the files in it, not of those below them. Files that vanish meanwhile do not count. */
export async function folderUsage(path: string): Promise<FolderUsage> {
  let usedBytes = 0;
  let inodesUsed = 0;
  const names = await readdir(path).catch(() => []);
  for (const file of [path, ...names.slice(0, maxFiles).map((name) => join(path, name))]) {
    const found = await lstat(file).catch(() => undefined);
    if (found === undefined) continue;
    usedBytes += found.blocks * 512;
    inodesUsed += 1;
  }
  return { usedBytes, inodesUsed };
}

/** The device of the file system of a path, as `/dev/sda1`, from the table of mounts; its numbers if it is not there, empty if there is no such path. */
export function deviceOf(proc: string, path: string): string {
  try {
    const { dev } = lstatSync(path);
    const [major, minor] = [(dev >> 8) & 0xfff, (dev & 0xff) | ((dev >> 12) & 0xfff00)];
    const line = (readText(proc, "self/mountinfo") ?? "")
      .split("\n")
      .find((each) => each.split(" ", 3)[2] === `${major}:${minor}`);
    return line?.split(" - ")[1]?.split(" ")[1] ?? `${major}:${minor}`;
  } catch {
    return "";
  }
}
