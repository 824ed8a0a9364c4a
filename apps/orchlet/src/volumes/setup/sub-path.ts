import { constants } from "node:fs";
import { chmod, type FileHandle, lstat, mkdir, open, realpath, rmdir, stat, unlink, writeFile } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { bindMount, descriptorPath, entryPath, isMounted, O_PATH, openEntry, unmount } from "@orchernetes/host";

/**
 * Bind-mounts a part of a volume at `target`, a path that no container can change, and returns `target`. A missing
 * folder is created with the volume's mode. Links in the volume cannot lead out of it: they are resolved once, then
 * each component of the resolved path is opened without following links, and the opened file is what is mounted.
 *
 * Idempotent. A mount of an earlier instance of the container is replaced if the subpath is now a different file, such
 * as after an update of a config map.
 *
 * @param folderMode mode of the parent folders of `target`
 * @throws Error when the path leads out of the volume
 */
export async function prepareSubPath(
  volume: string,
  subPath: string,
  target: string,
  folderMode: number,
): Promise<string> {
  if (subPath.startsWith("/") || subPath.split("/").includes(".."))
    throw new Error(`invalid subPath ${JSON.stringify(subPath)}: want a relative path without ".."`);
  const root = await realpath(volume);
  const wanted = await resolveInside(root, join(volume, subPath));
  const parts = relative(root, wanted)
    .split(sep)
    .filter((part) => part !== "");
  const opened = await openStepwise(root, parts);
  try {
    if (await isMounted(target)) {
      if (await isSame(opened, target)) return target;
      while (await isMounted(target)) await unmount(target);
    }
    await makeMountPoint(target, (await opened.stat()).isDirectory(), folderMode);
    await bindMount(opened, target);
    return target;
  } finally {
    await opened.close();
  }
}

async function isSame(opened: FileHandle, target: string): Promise<boolean> {
  const [wanted, found] = await Promise.all([opened.stat({ bigint: true }), stat(target, { bigint: true })]);
  return wanted.dev === found.dev && wanted.ino === found.ino;
}

/** Creates an empty folder or file as the mount point. */
async function makeMountPoint(target: string, folder: boolean, folderMode: number): Promise<void> {
  await mkdir(dirname(target), { recursive: true, mode: folderMode });
  const found = await lstat(target).catch(() => undefined);
  if (found !== undefined && found.isDirectory() !== folder) await (found.isDirectory() ? rmdir : unlink)(target);
  if (folder) await mkdir(target, { recursive: true, mode: folderMode });
  else await writeFile(target, "", { flag: "a", mode: 0o640 });
}

/** The real path of what is there, with the missing rest appended. */
async function resolveInside(root: string, path: string): Promise<string> {
  const missing: string[] = [];
  for (let at = path; ; at = dirname(at)) {
    const found = await lstat(at).then(
      () => true,
      () => false,
    );
    if (found) {
      const real = join(await realpath(at), ...missing.reverse());
      if (real !== root && !real.startsWith(`${root}/`))
        throw new Error(`subPath ${JSON.stringify(path)} leads out of its volume`);
      return real;
    }
    missing.push(at.slice(at.lastIndexOf("/") + 1));
  }
}

const pinFolder = O_PATH | constants.O_NOFOLLOW | constants.O_DIRECTORY;

/**
 * Opens a path below `root` component by component, and creates missing folders. Reads nothing, and follows no links.
 */
async function openStepwise(root: string, parts: readonly string[]): Promise<FileHandle> {
  let at = await open(root, O_PATH);
  try {
    const volumeMode = (await at.stat()).mode & 0o7777;
    for (const [index, name] of parts.entries()) {
      const flags = index === parts.length - 1 ? O_PATH : pinFolder;
      const next = await openEntry(at, name, flags).catch(async (error: unknown) => {
        if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
        return makeFolder(at, name, volumeMode);
      });
      await at.close();
      at = next;
    }
    if ((await at.stat()).isSymbolicLink()) throw new Error("subPath is a symbolic link");
    return at;
  } catch (error) {
    await at.close();
    throw error;
  }
}

/**
 * Creates a folder with the volume's mode, so that users of the volume can write it; the set-group-ID bit sets its
 * group.
 */
async function makeFolder(parent: FileHandle, name: string, mode: number): Promise<FileHandle> {
  const isOurs = await mkdir(entryPath(parent, name), { mode: 0o700 }).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      // Another container of the pod created it first: keep its mode.
      if (error.code === "EEXIST") return false;
      throw error;
    },
  );
  const made = await openEntry(parent, name, pinFolder);
  try {
    if (isOurs) await chmod(descriptorPath(made), mode);
    return made;
  } catch (error) {
    await made.close();
    throw error;
  }
}
