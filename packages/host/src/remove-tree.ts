import { lstat, realpath, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isMounted, mountsBelow, StillMounted, unmount, unmountBelow } from "./mounts.ts";
import { removalThread } from "./removal-thread.ts";

/**
 * Deletes a folder recursively, in a worker thread, and nothing outside it. Links are deleted, never followed, even
 * if they are created during the removal. Mounts are never entered. Idempotent.
 *
 * @throws StillMounted when anything is mounted at or below the folder; then nothing is deleted
 */
export async function removeTree(path: string): Promise<void> {
  const parent = await ifThere(realpath(dirname(path)));
  if (parent === undefined) return;
  const name = basename(path);
  const real = join(parent, name);
  const found = await ifThere(lstat(real));
  if (found === undefined) return;
  if (!found.isDirectory()) {
    await ifThere(unlink(real));
    return;
  }
  const mounted = [...(await mountsBelow(real)), ...((await isMounted(real)) ? [real] : [])];
  if (mounted.length > 0) throw new StillMounted(path, mounted, "");
  const outcome = await removalThread.remove({ parent, name });
  // Mounted after the mount table was read.
  if (outcome === "mounted") throw new StillMounted(path, await mountsBelow(real), "");
}

/**
 * Unmounts everything at or below a folder, then deletes it with {@link removeTree}. Idempotent.
 * @throws Error when something is in use; then nothing is deleted
 */
export async function unmountAndRemove(path: string): Promise<void> {
  const found = await ifThere(lstat(path));
  if (found?.isDirectory()) {
    await unmountBelow(path);
    while (await isMounted(path)) await unmount(path);
  }
  await removeTree(path);
}

async function ifThere<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
