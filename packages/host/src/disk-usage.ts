import { execFile } from "node:child_process";
import { lstat, open, opendir } from "node:fs/promises";
import { promisify } from "node:util";
import { isInMemory, memoryUsage } from "./memory-files.ts";
import { descriptorPath, entryPath, openEntry, openFolderFlags } from "./open-files.ts";

const run = promisify(execFile);
const env = { PATH: "/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin", LC_ALL: "C" };

/** What the files of a folder take. */
export interface DiskUsage {
  /** Blocks on the disk, not lengths of files. */
  readonly bytes: number;
  readonly inodes: number;
}

/** Size of a file system, and what is left of it. */
export interface FileSystemSpace {
  readonly capacityBytes: number;
  /** For users other than root. */
  readonly availableBytes: number;
  readonly usedBytes: number;
  readonly inodes: number;
  readonly inodesFree: number;
  readonly inodesUsed: number;
}

/** More entries are counted by another process: this one would be busy for seconds. */
const maxEntries = 2000;
/** More entries of a folder in memory are not counted in one turn of the event loop; an entry takes some 10 µs. */
const maxMemoryEntries = 100;
const duMs = 120_000;
const statMs = 10_000;

/**
 * Measures a folder with everything below it, as du(1) does: links are not followed, other file systems not entered, and a file with several
 * names counts once. Large folders are measured by du(1) itself, at the lowest priority.
 *
 * @throws Error if the folder is not there, or du is not
 */
export async function diskUsage(path: string): Promise<DiskUsage> {
  const measured = (await isInMemory(path)) ? memoryUsage(path, maxMemoryEntries) : undefined;
  if (measured !== undefined) return measured;
  const top = await open(path, openFolderFlags);
  try {
    const { dev, blocks } = await top.stat();
    const sum: Sum = { dev, bytes: blocks * 512, inodes: 1, left: maxEntries, seen: new Set() };
    if (await addContent(top, sum)) return { bytes: sum.bytes, inodes: sum.inodes };
  } finally {
    await top.close();
  }
  const [bytes, inodes] = await Promise.all([du("--block-size=1", path), du("--inodes", path)]);
  return { bytes, inodes };
}

interface Sum {
  readonly dev: number;
  bytes: number;
  inodes: number;
  left: number;
  /** Inodes with several names. */
  readonly seen: Set<number>;
}

/** Adds what is in an open folder. @returns false if there is too much */
async function addContent(folder: { readonly fd: number }, sum: Sum): Promise<boolean> {
  // Latin-1 preserves names that are not UTF-8.
  for await (const { name } of await opendir(descriptorPath(folder), { encoding: "latin1" })) {
    if (sum.left-- <= 0) return false;
    const bytes = Buffer.from(name, "latin1");
    const found = await ifThere(lstat(entryPath(folder, bytes)));
    if (found === undefined || found.dev !== sum.dev || sum.seen.has(found.ino)) continue;
    if (found.nlink > 1 && !found.isDirectory()) sum.seen.add(found.ino);
    sum.bytes += found.blocks * 512;
    sum.inodes += 1;
    if (!found.isDirectory()) continue;
    const inner = await ifThere(openEntry(folder, bytes, openFolderFlags));
    if (inner === undefined) continue;
    try {
      if (!(await addContent(inner, sum))) return false;
    } finally {
      await inner.close();
    }
  }
  return true;
}

async function du(unit: string, path: string): Promise<number> {
  const args = ["-n", "19", "du", "--summarize", "--one-file-system", unit, path];
  const { stdout } = await run("nice", args, { env, timeout: duMs }).catch((error: { readonly stdout?: string }) => {
    // It fails when a file disappears meanwhile, and has counted the others.
    if (/^\d+\s/.test(error.stdout ?? "")) return { stdout: error.stdout ?? "" };
    throw error;
  });
  return Number.parseInt(stdout, 10);
}

/**
 * The space of the file system at a path, asked by stat(1): a network file system whose server is away blocks that process, and not one of
 * the few threads of this one.
 *
 * @throws Error if there is nothing, or no answer within 10 seconds
 */
export async function fileSystemSpace(path: string): Promise<FileSystemSpace> {
  const args = ["--file-system", "--format=%S %b %f %a %c %d", "--", path];
  const { stdout } = await run("stat", args, { env, timeout: statMs });
  const [size = 0, blocks = 0, free = 0, available = 0, inodes = 0, inodesFree = 0] = stdout.split(" ").map(Number);
  return {
    capacityBytes: blocks * size,
    availableBytes: available * size,
    usedBytes: (blocks - free) * size,
    inodes,
    inodesFree,
    inodesUsed: inodes - inodesFree,
  };
}

/** Files may disappear while they are counted. */
async function ifThere<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR" || code === "ELOOP") return undefined;
    throw error;
  }
}
