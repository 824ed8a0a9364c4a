import { lstat, rmdir, unlink } from "node:fs/promises";
import { isMounted, removeTree, unmount, unmountBelow } from "@orchernetes/host";
import { messageOf } from "@orchernetes/kernel";
import type { CsiDrivers } from "./csi-drivers.ts";
import { stagingOf } from "./csi-places.ts";
import type { DamagedRecord, FoundRecord } from "./volume-record.ts";

/**
 * Unpublishes a volume of a pod. Idempotent.
 *
 * @throws RpcError; Error if the driver is not registered, or leaves files in place of a mount
 */
export async function unpublish({ folder, record }: FoundRecord, target: string, drivers: CsiDrivers): Promise<void> {
  if (record.called) {
    const { client } = drivers.get(record.driverName);
    await client.node.nodeUnpublishVolume({ volumeId: record.volumeHandle, targetPath: target });
    // A driver may give an inline volume its content without a mount; it ends with the pod.
    if (record.volumeLifecycleMode === "Ephemeral") await removeMounts(target);
    else await removeMountPoint(target);
  }
  await removeTree(folder);
}

/**
 * Removes what is left of a volume whose record is damaged, so that its driver is not known. Idempotent.
 *
 * @param places the folder of the record, and where the volume is mounted or is a device
 * @throws Error while it is still mounted, or has files: as the original, which leaves it to the administrator then
 */
export async function removeDamaged({ folder, error }: DamagedRecord, places: readonly string[]): Promise<void> {
  for (const path of places)
    if (await isMounted(path))
      throw new Error(
        `cannot unpublish the volume at ${JSON.stringify(path)}, because its driver is not known: ${messageOf(error)}; unmount it, or restore its record`,
      );
  for (const path of places) await removeMountPoint(path);
  await removeTree(folder);
}

/** Removes what is staged of a volume. Idempotent. @throws as {@link unpublish} */
export async function unstage({ folder, record }: FoundRecord, drivers: CsiDrivers): Promise<void> {
  const staging = stagingOf(folder);
  if (record.called) {
    const { client } = drivers.get(record.driverName);
    await client.node.nodeUnstageVolume({ volumeId: record.volumeHandle, stagingTargetPath: staging });
  }
  await removeMountPoint(staging);
  await removeTree(folder);
}

/** Unmounts what the driver should have unmounted. */
async function removeMounts(path: string): Promise<void> {
  if ((await lstat(path).catch(() => undefined)) === undefined) return;
  await unmountBelow(path);
  while (await isMounted(path)) await unmount(path);
}

/**
 * Removes a mount point: an empty folder, or a file. A folder that is not empty is kept: it could be the content of the volume, which the
 * driver may have put there without a mount.
 */
async function removeMountPoint(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined) return;
  await removeMounts(path);
  if (!found.isDirectory()) {
    await unlink(path);
    return;
  }
  await rmdir(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return;
    const why = error.code === "ENOTEMPTY" ? "it is not empty although the driver has unpublished it" : error.message;
    throw new Error(`cannot remove the mount point ${JSON.stringify(path)}: ${why}`);
  });
}
