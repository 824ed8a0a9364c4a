import { randomBytes } from "node:crypto";
import { type FileHandle, lstat, open, opendir, realpath, rename, rmdir, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isMounted, mountsBelow, StillMounted, unmount, unmountBelow } from "./mounts.ts";
import { descriptorPath, entryPath, mountIdOf, openEntry, openFolderFlags } from "./open-files.ts";

/** Folders that are open at a time. What lies deeper is moved up first: a container can nest folders without end. */
const maxDepth = 32;

/**
 * Deletes a folder and what is in it, and nothing else. Links are deleted, never followed; every step is taken from an open folder,
 * so that nobody can put a link in the way meanwhile; and a mount is never entered. Idempotent.
 *
 * @throws StillMounted when anything is mounted at or below the folder; then nothing is deleted
 */
export async function removeTree(path: string): Promise<void> {
  const parent = await ifThere(realpath(dirname(path)));
  if (parent === undefined) return;
  const real = join(parent, basename(path));
  const found = await ifThere(lstat(real));
  if (found === undefined) return;
  if (!found.isDirectory()) {
    await ifThere(unlink(real));
    return;
  }
  const mounted = [...(await mountsBelow(real)), ...((await isMounted(real)) ? [real] : [])];
  if (mounted.length > 0) throw new StillMounted(path, mounted, "");
  const above = await open(parent, openFolderFlags);
  try {
    const name = Buffer.from(basename(path));
    const mountId = await mountIdOf(above);
    const top = await ifThere(openEntry(above, name, openFolderFlags));
    if (top === undefined) return;
    try {
      await refuseMount(top, mountId, path);
      await empty(top, { top, mountId, path }, 0);
    } finally {
      await top.close();
    }
    await ifThere(rmdir(entryPath(above, name)));
  } finally {
    await above.close();
  }
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

interface Removal {
  readonly top: FileHandle;
  readonly mountId: number;
  readonly path: string;
}

/** Deletes all that is in an open folder. Reads it again until nothing is left: deleting may make a reader skip entries. */
async function empty(folder: FileHandle, removal: Removal, depth: number): Promise<void> {
  for (;;) {
    let found = 0;
    // Latin 1 has a character for each byte: names that are no UTF-8 survive.
    for await (const { name } of await opendir(descriptorPath(folder), { encoding: "latin1", bufferSize: 256 })) {
      found += 1;
      await removeEntry(folder, Buffer.from(name, "latin1"), removal, depth);
    }
    if (found === 0) return;
  }
}

async function removeEntry(folder: FileHandle, name: Buffer, removal: Removal, depth: number): Promise<void> {
  const at = entryPath(folder, name);
  try {
    await ifThere(unlink(at));
    return;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EBUSY") throw new StillMounted(removal.path, [name.toString()], "");
    // A folder. Some file systems say EPERM; the open below tells the two apart.
    if (code !== "EISDIR" && code !== "EPERM") throw error;
  }
  if (depth >= maxDepth) {
    await ifThere(rename(at, entryPath(removal.top, `.removing-${randomBytes(8).toString("hex")}`)));
    return;
  }
  const inner = await ifThere(openEntry(folder, name, openFolderFlags));
  if (inner === undefined) return;
  try {
    await refuseMount(inner, removal.mountId, removal.path);
    await empty(inner, removal, depth + 1);
  } finally {
    await inner.close();
  }
  await ifThere(rmdir(at));
}

async function refuseMount(folder: FileHandle, mountId: number, path: string): Promise<void> {
  if ((await mountIdOf(folder)) === mountId) return;
  throw new StillMounted(path, await mountsBelow(path), "");
}

async function ifThere<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
