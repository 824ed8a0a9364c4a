import { createWriteStream, lstatSync } from "node:fs";
import { lstat, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { NotARegularFile, openRegularFile, removeTree } from "@orchernetes/host";

/** Whether {@link rotateLog} has something to do. It does nothing with a log whose size cannot be read. */
export function isMissingOrFull(path: string, maxBytes: number): boolean {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    return found === undefined || (found.isFile() && found.size >= maxBytes);
  } catch {
    return false;
  }
}

/**
 * Rotates a log that has reached its maximum size: renames it, makes the runtime open a new file, compresses older files and
 * deletes those beyond the limit. The newest rotated file stays uncompressed, because readers may still follow it. A log that is
 * missing is opened again.
 *
 * @returns whether it was rotated
 * @throws the error of `reopen`, after undoing the rename
 */
export async function rotateLog(
  path: string,
  options: {
    readonly maxBytes: number;
    /** Maximum number of files of a container, including the current one; at least 2. */
    readonly maxFiles: number;
    readonly now: Date;
    /** Makes the runtime open the path again. */
    readonly reopen: () => Promise<void>;
  },
): Promise<boolean> {
  const { maxBytes, maxFiles, now, reopen } = options;
  const found = await lstat(path).catch((error: NodeJS.ErrnoException) => error);
  if (found instanceof Error) {
    // Somebody has removed the file, so nobody could read what the container writes.
    if (found.code === "ENOENT") await reopen();
    return false;
  }
  if (!found.isFile() || found.size < maxBytes) return false;
  const folder = dirname(path);
  const name = basename(path);
  const rotated = (await readdir(folder)).filter((entry) => entry.startsWith(`${name}.`)).sort();
  for (const entry of rotated.filter((file) => file.endsWith(".tmp"))) await removeTree(join(folder, entry));
  const whole = rotated.filter((file) => !file.endsWith(".tmp"));
  const surplus = Math.max(0, whole.length - (maxFiles - 2));
  for (const entry of whole.slice(0, surplus)) await removeTree(join(folder, entry));
  for (const entry of whole.slice(surplus).filter((file) => !file.endsWith(".gz"))) await pack(join(folder, entry));
  const stamp = now.toISOString().replaceAll(/[-:T]/g, "").slice(0, 14);
  const aside = `${path}.${stamp.slice(0, 8)}-${stamp.slice(8)}`;
  await rename(path, aside);
  try {
    await reopen();
  } catch (error) {
    // The runtime still writes to the old file. Under its new name it would be compressed and deleted, and its end
    // would be lost.
    await rename(aside, path);
    throw error;
  }
  return true;
}

/**
 * Compresses a rotated log. If this fails, for example on a full disk, the log stays uncompressed until a later
 * rotation.
 */
async function pack(path: string): Promise<void> {
  const target = `${path}.gz`;
  const temporary = `${target}.tmp`;
  try {
    const source = (await openRegularFile(path)).createReadStream();
    await pipeline(source, createGzip(), createWriteStream(temporary, { flags: "wx", mode: 0o640 }));
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    if (!(error instanceof NotARegularFile)) return;
  }
  await removeTree(path);
}
