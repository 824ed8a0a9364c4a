import { randomBytes } from "node:crypto";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { core } from "@orchernetes/api";
import type { Init, Mount } from "@orchernetes/cri";
import type { Paths } from "../util/paths.ts";
import { prepareSubPath } from "../volumes/sub-path.ts";
import type { PreparedVolume } from "../volumes/volume-manager.ts";
import { defaultTerminationMessagePath } from "./container-config.ts";
import { expand } from "./expand.ts";

const propagations = {
  None: "PROPAGATION_PRIVATE",
  HostToContainer: "PROPAGATION_HOST_TO_CONTAINER",
  Bidirectional: "PROPAGATION_BIDIRECTIONAL",
} as const;

/**
 * Mounts of a container: its volumes, its hosts file, and the file for its last words.
 *
 * @throws Error when a volume or a part of it is missing
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
  for (const [index, mount] of (container.volumeMounts ?? []).entries()) {
    const volume = volumes.get(mount.name);
    if (volume === undefined)
      throw new Error(`cannot find volume "${mount.name}" to mount into container "${container.name}"`);
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
    const file = join(folder, randomBytes(4).toString("hex"));
    await writeFile(file, "", { flag: "wx" });
    // Whoever the container runs as has to be able to write it.
    await chmod(file, 0o666);
    mounts.push({ containerPath: messagePath, hostPath: file, readonly: false });
  }
  return mounts;
}
