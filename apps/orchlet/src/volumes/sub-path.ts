import { closeSync, constants, fstatSync, mkdirSync, openSync } from "node:fs";
import { lstat, mkdir, realpath, writeFile } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { bindMount, isMounted } from "./mounts.ts";

/** Opens only to point at a file, without reading it; Node has no name for it. */
const O_PATH = 0o10000000;

/**
 * Makes a part of a volume appear at `target`, a path that no container can change, and answers `target`. A folder that is not
 * there is made. Whatever links the volume holds, nothing outside it can be reached: links are followed once, then each step
 * of the way is opened without following any, and it is the opened thing that is mounted.
 *
 * @throws Error when the path leads out of the volume
 */
export async function prepareSubPath(volume: string, subPath: string, target: string): Promise<string> {
  if (subPath.startsWith("/") || subPath.split("/").includes(".."))
    throw new Error(`invalid subPath ${JSON.stringify(subPath)}: want a relative path without ".."`);
  const root = await realpath(volume);
  const wanted = await resolveInside(root, join(volume, subPath));
  const fd = openStepwise(
    root,
    relative(root, wanted)
      .split(sep)
      .filter((part) => part !== ""),
  );
  try {
    if (await isMounted(target)) return target;
    await mkdir(dirname(target), { recursive: true, mode: 0o750 });
    if (fstatSync(fd).isDirectory()) await mkdir(target, { recursive: true, mode: 0o750 });
    else await writeFile(target, "", { flag: "a" });
    await bindMount(`/proc/${process.pid}/fd/${fd}`, target);
    return target;
  } finally {
    closeSync(fd);
  }
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

function openStepwise(root: string, parts: readonly string[]): number {
  const folder = O_PATH | constants.O_NOFOLLOW | constants.O_DIRECTORY;
  let fd = openSync(root, folder);
  for (const [index, part] of parts.entries()) {
    const at = `/proc/self/fd/${fd}/${part}`;
    const last = index === parts.length - 1;
    try {
      let next: number;
      try {
        next = openSync(at, last ? O_PATH | constants.O_NOFOLLOW : folder);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
        mkdirSync(at, { mode: 0o750 });
        next = openSync(at, folder);
      }
      closeSync(fd);
      fd = next;
    } catch (error) {
      closeSync(fd);
      throw error;
    }
  }
  if (fstatSync(fd).isSymbolicLink()) {
    closeSync(fd);
    throw new Error("subPath is a symbolic link");
  }
  return fd;
}
