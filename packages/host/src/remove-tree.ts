import { constants } from "node:fs";
import { type FileHandle, lstat, open, realpath, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isMounted, mountsBelow, StillMounted, unmount, unmountBelow } from "./mounts.ts";
import { descriptorPath, openEntry, openFolderFlags } from "./open-files.ts";
import { removalThread } from "./removal-thread.ts";

/**
 * Deletes a folder recursively, in a worker thread, and nothing outside it. Links are deleted, never followed, even
 * if they are created during the removal. Mounts are never entered. Idempotent.
 *
 * @throws StillMounted when anything is mounted at or below the folder; then nothing is deleted
 */
export async function removeTree(path: string): Promise<void> {
  const parent = await ifThere(realpath(dirname(path)));
  if (parent !== undefined) await removeEntry(parent, basename(path), path);
}

/** A path has links or dots in it where only names of folders are accepted, or leads through something that is no folder. */
export class NotAPlainPath extends Error {
  override readonly name = "NotAPlainPath";
  constructor(root: string, names: readonly string[]) {
    super(
      `cannot go from ${JSON.stringify(root)} to ${JSON.stringify(names.join("/"))}: want names of folders, no links`,
    );
  }
}

/**
 * As {@link removeTree}, for a path whose folders others may replace with links at any time: from the root on each is opened by itself,
 * relative to the one before it, and stays open until the end.
 *
 * @param root a folder that nobody else can replace
 * @param names those of the folders below it, and of what is to be deleted; at least one
 * @throws NotAPlainPath; StillMounted
 */
export async function removeTreeBelow(root: string, names: readonly string[]): Promise<void> {
  const last = names.at(-1);
  if (last === undefined || !names.every(isName)) throw new NotAPlainPath(root, names);
  const parent = await openParent(root, names);
  if (parent === undefined) return;
  try {
    // With a dot, because the path of a descriptor is a link by itself, and links are not opened.
    await removeEntry(`${descriptorPath(parent)}/.`, last, join(root, ...names));
  } finally {
    await parent.close();
  }
}

const isName = (name: string): boolean =>
  name !== "" && name !== "." && name !== ".." && !name.includes("/") && !name.includes("\0");

/** The folder of the last name; undefined if one of those before it does not exist. */
async function openParent(root: string, names: readonly string[]): Promise<FileHandle | undefined> {
  let folder = await open(root, constants.O_RDONLY | constants.O_DIRECTORY);
  for (const name of names.slice(0, -1)) {
    const outer = folder;
    try {
      folder = await openEntry(outer, name, openFolderFlags);
    } catch (error) {
      const { code = "" } = error as NodeJS.ErrnoException;
      if (code === "ENOENT") return undefined;
      if (code === "ELOOP" || code === "ENOTDIR") throw new NotAPlainPath(root, names);
      throw error;
    } finally {
      await outer.close();
    }
  }
  return folder;
}

/** @param parent its last component must not be a link @param path what errors name */
async function removeEntry(parent: string, name: string, path: string): Promise<void> {
  const at = `${parent}/${name}`;
  const found = await ifThere(lstat(at));
  if (found === undefined) return;
  if (!found.isDirectory()) {
    await ifThere(unlink(at));
    return;
  }
  const mounted = [...(await mountsBelow(at)), ...((await isMounted(at)) ? [path] : [])];
  if (mounted.length > 0) throw new StillMounted(path, mounted, "");
  const outcome = await removalThread.remove({ parent, name });
  // Mounted after the mount table was read.
  if (outcome === "mounted") throw new StillMounted(path, await mountsBelow(at), "");
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
