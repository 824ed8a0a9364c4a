import { chmod, lstat, mkdir, rename } from "node:fs/promises";
import type { core } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";
import {
  annotationOf,
  isLocalPathName,
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

/**
 * Whether a volume is one that the provisioner of local paths places in this node's folder. Its path must be that of its
 * name: users who may create volumes must not make the agent create other folders.
 */
export function isProvisionedHere(volume: Stored<core.PersistentVolume>, folder: string): boolean {
  const { name } = volume.metadata;
  if (annotationOf(volume, provisionedBy) !== localPathProvisioner || !isLocalPathName(name)) return false;
  return volume.spec.local?.path === localPathOf(folder, name);
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
    throw new Error(`${JSON.stringify(volume)} is no name of a volume: want pvc- and the uid of a claim`);
  const path = localPathOf(folder, volume);
  await removeTree(`${path}.new`);
  await removeTree(path);
}
