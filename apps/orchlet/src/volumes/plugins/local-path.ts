import { chmod, lstat, mkdir, rename } from "node:fs/promises";
import type { core } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";
import {
  annotationOf,
  isLocalPathName,
  localPathNode,
  localPathOf,
  localPathProvisioner,
  provisionedBy,
} from "@orchernetes/component-helpers";
import { removeTree } from "@orchernetes/host";

/**
 * Any user of a container may write the volume, as an emptyDir. Other users of the host cannot reach it, because they may
 * not enter the parent folder, or not list it.
 */
const volumeMode = 0o777;

/** What identifies the volumes of the provisioner of local paths that are on this node. */
export interface LocalPathNode {
  readonly nodeName: string;
  /** The folder in which the folders of volumes are. */
  readonly localVolumes: string;
}

/**
 * Whether a volume is said to be of the provisioner of local paths. Its path is from an annotation of a node, so it must
 * not be used unless {@link isProvisionedHere}: another node could have named a path of this one.
 */
export const isOfLocalPathProvisioner = (volume: Stored<core.PersistentVolume>): boolean =>
  annotationOf(volume, provisionedBy) === localPathProvisioner;

/**
 * Whether a volume is one that the provisioner of local paths places in this node's folder. It must name this node, and its
 * path must be that of its name: users who may create volumes must not make the agent create other folders.
 */
export function isProvisionedHere(
  volume: Stored<core.PersistentVolume>,
  { nodeName, localVolumes }: LocalPathNode,
): boolean {
  const { name } = volume.metadata;
  if (!isOfLocalPathProvisioner(volume) || !isLocalPathName(name)) return false;
  if (annotationOf(volume, localPathNode) !== nodeName) return false;
  const { local, hostPath } = volume.spec;
  return hostPath === undefined && local?.path === localPathOf(localVolumes, name);
}

/**
 * Creates the folder of a volume unless it is there. It gets its mode before its name, so that a folder with that name is
 * complete, also after a crash.
 */
export async function createLocalPath(path: string): Promise<void> {
  if ((await lstat(path).catch(() => undefined)) !== undefined) return;
  const unfinished = `${path}.new`;
  await removeTree(unfinished);
  await mkdir(unfinished, { mode: 0o700 });
  // mkdir is subject to the umask.
  await chmod(unfinished, volumeMode);
  await rename(unfinished, path);
}

/**
 * Removes the folder of a volume and nothing else: links are not followed, and mounts not entered. Idempotent.
 *
 * @throws Error for a name that the provisioner does not give, or if something is mounted below the folder
 */
export async function removeLocalPath(folder: string, volume: string): Promise<void> {
  if (!isLocalPathName(volume))
    throw new Error(`${JSON.stringify(volume)} is not a name of a volume: want pvc- and the uid of a claim`);
  const path = localPathOf(folder, volume);
  await removeTree(`${path}.new`);
  await removeTree(path);
}
