import { lstat, mkdir, readdir, readlink, symlink, unlink } from "node:fs/promises";
import { join } from "node:path";
import { isPathPart } from "../util/paths.ts";

/** Maximum length of a file name in bytes. */
const maxNameBytes = 255;
const suffix = ".log";

/** A container whose log is linked. */
export interface LinkedContainer {
  readonly pod: string;
  readonly namespace: string;
  readonly name: string;
  readonly id: string;
  readonly logPath: string;
}

/** The name of a container's link, which collectors of logs take apart: `<pod>_<namespace>_<container>-<id>.log`. */
export function linkName({ pod, namespace, name, id }: Omit<LinkedContainer, "logPath">): string {
  return `${`${pod}_${namespace}_${name}-${id}`.slice(0, maxNameBytes - suffix.length)}${suffix}`;
}

/**
 * Makes the links in `folder` those of these containers: creates missing ones, and removes those into `logs` whose file is gone. Links
 * to other places, which another program made, remain.
 *
 * @param logs the folder below which the logs of containers are
 */
export async function syncLogLinks(
  folder: string,
  logs: string,
  containers: readonly LinkedContainer[],
): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o755 });
  for (const container of containers) {
    const name = linkName(container);
    if (!isPathPart(name) || !container.logPath.startsWith(`${logs}/`)) continue;
    await symlink(container.logPath, join(folder, name)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
  }
  for (const name of await readdir(folder)) {
    const link = join(folder, name);
    const target = await readlink(link).catch(() => "");
    if (!target.startsWith(`${logs}/`)) continue;
    const found = await lstat(target).catch((error: NodeJS.ErrnoException) => error.code);
    if (found === "ENOENT" || found === "ENOTDIR") await unlink(link).catch(() => undefined);
  }
}
