import { execFile } from "node:child_process";
import { chown, mkdir, rm, symlink } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import type { ContainerConfig } from "../v1/container.ts";

const run = promisify(execFile);

/**
 * Makes what a container needs in its folder: FIFOs for its streams, and `rootfs`, where each mount is a link to its host
 * path and the working folder exists.
 */
export async function prepareContainerFolder(dir: string, config: ContainerConfig): Promise<void> {
  const rootfs = join(dir, "rootfs");
  const workingDir = join(rootfs, resolve("/", config.workingDir));
  await mkdir(rootfs, { recursive: true, mode: 0o755 });
  for (const { containerPath, hostPath } of config.mounts) {
    // Resolving against the root first keeps a path with ".." inside the folder.
    const link = join(rootfs, resolve("/", containerPath));
    if (link === rootfs) continue;
    await mkdir(dirname(link), { recursive: true });
    await rm(link, { force: true });
    await symlink(hostPath, link).catch((error: NodeJS.ErrnoException) => {
      // A mount below was made first and needed this folder; that one is more special.
      if (error.code !== "EEXIST") throw error;
    });
  }
  await mkdir(workingDir, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
  const uid = config.linux?.securityContext?.runAsUser;
  if (uid !== undefined && process.getuid?.() === 0) await chown(rootfs, uid, -1);
  const fifos = ["stdout", "stderr", "ack", ...(config.stdin ? ["stdin"] : [])];
  await run("mkfifo", ["-m", "600", ...fifos.map((name) => join(dir, name))]);
}
