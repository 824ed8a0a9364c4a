import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { FileSystems } from "@orchernetes/host";
import { readText } from "./host-files.ts";

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

/**
 * The devices of file systems by a path on each, as `/dev/sda1`, from the table of mounts; their numbers if they are not there. Paths that do
 * not exist, and file systems that do not answer, are left out.
 */
export async function devicesOf(
  { proc, fileSystems }: { readonly proc: string; readonly fileSystems: Pick<FileSystems, "device"> },
  paths: Iterable<string>,
): Promise<ReadonlyMap<string, string>> {
  const sources = new Map<string, string>();
  for (const line of (readText(proc, "self/mountinfo") ?? "").split("\n")) {
    const number = line.split(" ", 3)[2];
    const source = line.split(" - ")[1]?.split(" ")[1];
    if (number !== undefined && source !== undefined && !sources.has(number)) sources.set(number, source);
  }
  const found = await Promise.all(
    [...new Set(paths)].map(async (path): Promise<readonly (readonly [path: string, device: string])[]> => {
      const device = await fileSystems.device(path).catch(() => undefined);
      if (device === undefined) return [];
      const number = `${(device >> 8) & 0xfff}:${(device & 0xff) | ((device >> 12) & 0xfff00)}`;
      return [[path, sources.get(number) ?? number]];
    }),
  );
  return new Map(found.flat());
}
