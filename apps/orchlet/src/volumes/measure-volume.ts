import { statfs } from "node:fs/promises";
import type { core } from "@orchernetes/api";
import type { NodeGetVolumeStatsResponse } from "@orchernetes/csi";
import { diskUsage, fileSystemSpace } from "@orchernetes/host";
import type { CsiMounter } from "../csi/csi-mounter.ts";
import { csiPlugin } from "../csi/volume-record.ts";
import type { Paths } from "../util/paths.ts";
import { isApiVolume } from "./content.ts";
import type { PreparedVolume } from "./prepare-volume.ts";
import type { VolumeUsage } from "./volume-stats.ts";

/**
 * Measures a volume, as the original does: what shares a file system with others by counting its files, a file system of its own by asking
 * that, and a CSI volume by asking its driver.
 *
 * @returns undefined for volumes of kind hostPath, for block devices that no driver measures, and for drivers that cannot
 * @throws RpcError; Error
 */
export async function measureVolume(
  { paths, mounter }: { readonly paths: Paths; readonly mounter: CsiMounter | undefined },
  pod: core.Pod,
  volume: core.Volume,
  prepared: PreparedVolume,
): Promise<VolumeUsage | undefined> {
  const { uid = "" } = pod.metadata;
  const { path } = prepared;
  if (volume.hostPath !== undefined) return undefined;
  if (volume.emptyDir?.medium === "Memory") return spaceOf(path);
  if (volume.emptyDir !== undefined || isApiVolume(volume)) return usageOf(path);
  const ofCsi = await csiRecordAt(paths, mounter, uid, path);
  if (ofCsi !== undefined) return usageByDriver(await mounter?.usage(uid, ofCsi));
  if (prepared.block) return undefined;
  // What is mounted for the pod is a file system of the network; others are folders of the host.
  return path.startsWith(`${paths.volumes(uid)}/`) ? networkSpaceOf(path) : spaceOf(path);
}

/** The record of the CSI volume that is published at a path. */
async function csiRecordAt(paths: Paths, mounter: CsiMounter | undefined, uid: string, path: string) {
  for (const { record } of (await mounter?.volumesOf(uid)) ?? []) {
    const { specVolID, block } = record;
    const at = block
      ? paths.volumeDevice(uid, csiPlugin, specVolID)
      : `${paths.volume(uid, csiPlugin, specVolID)}/mount`;
    if (at === path) return record;
  }
  return undefined;
}

async function spaceOf(path: string): Promise<VolumeUsage> {
  const { bsize, blocks, bfree, bavail, files, ffree } = await statfs(path);
  return {
    capacityBytes: blocks * bsize,
    availableBytes: bavail * bsize,
    usedBytes: (blocks - bfree) * bsize,
    inodes: files,
    inodesFree: ffree,
    inodesUsed: files - ffree,
  };
}

async function usageOf(path: string): Promise<VolumeUsage> {
  const [space, { bytes, inodes }] = await Promise.all([spaceOf(path), diskUsage(path)]);
  return { ...space, usedBytes: bytes, inodesUsed: inodes };
}

async function networkSpaceOf(path: string): Promise<VolumeUsage> {
  const space = await fileSystemSpace(path);
  return { ...space, inodesUsed: space.inodes - space.inodesFree };
}

/** What a driver says; numbers that are negative, which the specification forbids, are left out. */
export function usageByDriver(response: NodeGetVolumeStatsResponse | undefined): VolumeUsage | undefined {
  if (response === undefined) return undefined;
  const known = (value: number | undefined) => (value !== undefined && value >= 0 ? value : undefined);
  const bytes = response.usage.find(({ unit }) => unit === "BYTES");
  const inodes = response.usage.find(({ unit }) => unit === "INODES");
  const { volumeCondition } = response;
  return {
    capacityBytes: known(bytes?.total),
    availableBytes: known(bytes?.available),
    usedBytes: known(bytes?.used),
    inodes: known(inodes?.total),
    inodesFree: known(inodes?.available),
    inodesUsed: known(inodes?.used),
    ...(volumeCondition && { health: volumeCondition }),
  };
}
