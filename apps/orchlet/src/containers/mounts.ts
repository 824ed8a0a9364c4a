import { randomBytes } from "node:crypto";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { core } from "@orchernetes/api";
import type { Init, Mount } from "@orchernetes/cri";
import type { Paths } from "../util/paths.ts";
import type { PreparedVolume } from "../volumes/prepare-volume.ts";
import { prepareSubPath } from "../volumes/setup/sub-path.ts";
import { defaultTerminationMessagePath } from "./container-config.ts";
import { expand } from "./expand.ts";

/** Mount propagation of the API in the terms of the CRI. */
const propagations = {
  None: "PROPAGATION_PRIVATE",
  HostToContainer: "PROPAGATION_HOST_TO_CONTAINER",
  Bidirectional: "PROPAGATION_BIDIRECTIONAL",
} as const;

/** Maximum number of subPaths that a container mounts. Each is a mount of the node, and the kernel allows 100,000 mounts for all pods. */
const maxParts = 500;

/**
 * The mounts of a container: its volumes, its hosts file, and the file for its termination message. A volume that is
 * mounted at one of these paths takes precedence over the agent's file.
 *
 * @throws Error if a volume or a subPath is missing, or a variable of subPathExpr is not set
 */
export async function mountsOf(
  pod: core.Pod,
  container: core.Container,
  options: {
    readonly volumes: ReadonlyMap<string, PreparedVolume>;
    readonly environment: ReadonlyMap<string, string>;
    readonly paths: Paths;
    readonly etcHosts: string | undefined;
  },
): Promise<readonly Init<Mount>[]> {
  const { volumes, environment, paths, etcHosts } = options;
  const uid = pod.metadata.uid ?? "";
  const mounts: Init<Mount>[] = [];
  const parts = (container.volumeMounts ?? []).filter(({ subPath, subPathExpr }) => subPath || subPathExpr).length;
  if (parts > maxParts)
    throw new Error(`container "${container.name}" mounts ${parts} parts of volumes; want at most ${maxParts}`);
  for (const [index, mount] of (container.volumeMounts ?? []).entries()) {
    const volume = volumes.get(mount.name);
    if (volume === undefined)
      throw new Error(`cannot find volume "${mount.name}" to mount into container "${container.name}"`);
    if (volume.block) throw new Error(`volume ${mount.name} has volumeMode Block, but is specified in volumeMounts`);
    const subPath = mount.subPathExpr
      ? expand(mount.subPathExpr, (name) => environment.get(name))
      : (mount.subPath ?? "");
    if (mount.subPathExpr && subPath.includes("$("))
      throw new Error(`missing value for subPathExpr "${mount.subPathExpr}"`);
    const hostPath =
      subPath === ""
        ? volume.path
        : await prepareSubPath(
            volume.path,
            subPath,
            paths.subPath(uid, mount.name, container.name, index),
            paths.folderMode,
          );
    mounts.push({
      containerPath: mount.mountPath.startsWith("/") ? mount.mountPath : `/${mount.mountPath}`,
      hostPath,
      readonly: (mount.readOnly ?? false) || volume.readOnly,
      propagation: propagations[mount.mountPropagation ?? "None"],
    });
  }
  const taken = (path: string) => mounts.some(({ containerPath }) => containerPath === path);
  if (etcHosts !== undefined && !taken("/etc/hosts")) {
    mounts.push({ containerPath: "/etc/hosts", hostPath: etcHosts, readonly: false });
  }
  const messagePath = container.terminationMessagePath || defaultTerminationMessagePath;
  if (!taken(messagePath)) {
    const folder = paths.container(uid, container.name);
    await mkdir(folder, { recursive: true, mode: paths.folderMode });
    // Each instance of the container gets a new file, so that it does not start with an old message.
    const file = join(folder, randomBytes(4).toString("hex"));
    await writeFile(file, "", { flag: "wx" });
    // Any user that the container may run as must be able to write it; mkdir and writeFile are subject to the umask.
    await chmod(file, 0o666);
    mounts.push({ containerPath: messagePath, hostPath: file, readonly: false });
  }
  return mounts;
}
