import { execFile } from "node:child_process";
import { constants } from "node:fs";
import { chown, type FileHandle, mkdir, open, symlink, unlink } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { entryPath, openEntry, openFolderFlags } from "@orchernetes/host";
import type { ContainerConfig } from "../v1/container.ts";

const run = promisify(execFile);

/**
 * Creates the contents of the folder of a container: FIFOs for its streams, and `rootfs`, where each mount is a link
 * to its host path and the working folder exists.
 *
 * Below a mount, existing files are neither changed nor followed: another container may have placed a link there that
 * points anywhere on the host.
 */
export async function prepareContainerFolder(dir: string, config: ContainerConfig): Promise<void> {
  const rootfs = join(dir, "rootfs");
  await mkdir(rootfs, { recursive: true, mode: 0o755 });
  const mounts = new Map<string, string>();
  for (const { containerPath, hostPath } of config.mounts) {
    // Resolving against the root first keeps a path with ".." inside the folder.
    const at = resolve("/", containerPath);
    if (at === "/") continue;
    await placeLink(rootfs, mounts, at, hostPath);
    mounts.set(at, hostPath);
  }
  // A link inside a volume is not followed. If the working folder is missing, starting the container reports it.
  await ignoring(["ENOTDIR", "ELOOP"], async () =>
    (await walk(rootfs, mounts, resolve("/", config.workingDir))).folder.close(),
  );
  const uid = config.linux?.securityContext?.runAsUser;
  if (uid !== undefined && process.getuid?.() === 0) await chown(rootfs, uid, -1);
  const fifos = ["stdout", "stderr", "ack", ...(config.stdin ? ["stdin"] : [])];
  await run("mkfifo", ["-m", "600", ...fifos.map((name) => join(dir, name))]);
}

async function placeLink(
  rootfs: string,
  mounts: ReadonlyMap<string, string>,
  at: string,
  hostPath: string,
): Promise<void> {
  const slash = at.lastIndexOf("/");
  const name = at.slice(slash + 1);
  const { folder, ofHost } = await walk(rootfs, mounts, at.slice(0, slash));
  try {
    const link = entryPath(folder, name);
    // A folder stays: it contains a nested mount, which was created earlier and takes precedence.
    if (!ofHost) await ignoring(["ENOENT", "EISDIR", "EPERM"], () => unlink(link));
    // In a volume, an existing entry stays: another container of the pod or an earlier instance created it.
    await ignoring(["EEXIST"], () => symlink(hostPath, link));
  } finally {
    await folder.close();
  }
}

/**
 * Opens a folder below `rootfs` component by component and creates missing ones. Follows the links of mounts and no
 * others. Working with open folders instead of paths closes the race in which a component is replaced by a link after
 * it was checked.
 */
async function walk(
  rootfs: string,
  mounts: ReadonlyMap<string, string>,
  path: string,
): Promise<{ readonly folder: FileHandle; readonly ofHost: boolean }> {
  let folder = await open(rootfs, openFolderFlags);
  let ofHost = false;
  let at = "";
  try {
    for (const part of path.split("/").filter((name) => name !== "")) {
      at += `/${part}`;
      const mounted = ofHost ? undefined : mounts.get(at);
      const next = await openOrMake(folder, part, mounted);
      if (next.viaMount) ofHost = true;
      await folder.close();
      folder = next.opened;
    }
    return { folder, ofHost };
  } catch (error) {
    await folder.close();
    throw error;
  }
}

async function openOrMake(
  folder: FileHandle,
  name: string,
  mounted: string | undefined,
): Promise<{ readonly opened: FileHandle; readonly viaMount: boolean }> {
  try {
    return { opened: await openEntry(folder, name, openFolderFlags), viaMount: false };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") {
      await ignoring(["EEXIST"], () => mkdir(entryPath(folder, name), { mode: 0o755 }));
      return { opened: await openEntry(folder, name, openFolderFlags), viaMount: false };
    }
    if (mounted === undefined || (code !== "ENOTDIR" && code !== "ELOOP")) throw error;
    return { opened: await open(mounted, constants.O_RDONLY | constants.O_DIRECTORY), viaMount: true };
  }
}

async function ignoring(codes: readonly string[], action: () => Promise<unknown>): Promise<void> {
  try {
    await action();
  } catch (error) {
    if (!codes.includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
}
