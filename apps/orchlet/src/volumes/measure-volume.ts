import type { core } from "@orchernetes/api";
import type { NodeGetVolumeStatsResponse } from "@orchernetes/csi";
import { diskUsage, type FileSystems, fileSystemSpace } from "@orchernetes/host";
import type { Clock } from "@orchernetes/kernel";
import type { CsiMounter } from "../csi/csi-mounter.ts";
import { csiPlugin } from "../csi/volume-record.ts";
import type { Paths } from "../util/paths.ts";
import { isApiVolume } from "./content/content.ts";
import type { PreparedVolume } from "./prepare-volume.ts";
import type { VolumeUsage } from "./volume-stats.ts";

/** The options of {@link measureVolume}. */
export interface MeasuringTools {
  readonly paths: Paths;
  readonly mounter: CsiMounter | undefined;
  readonly fileSystems: Pick<FileSystems, "space">;
  /** Called with how a volume was measured, and how long it took. @default nobody measures it */
  readonly onMeasured?: (source: string, ms: number) => void;
  readonly clock: Pick<Clock, "monotonicMs">;
}

/**
 * Measures a volume, as the original does: what shares a file system with others by counting its files, a file system of its own by asking
 * that, and a CSI volume by asking its driver.
 *
 * @returns undefined for volumes of kind hostPath, for block devices that no driver measures, and for drivers that cannot
 * @throws RpcError; Error
 */
export async function measureVolume(
  { paths, mounter, fileSystems, onMeasured, clock }: MeasuringTools,
  pod: core.Pod,
  volume: core.Volume,
  prepared: PreparedVolume,
): Promise<VolumeUsage | undefined> {
  const { uid = "" } = pod.metadata;
  const { path } = prepared;
  if (volume.hostPath !== undefined) return undefined;
  const begunMs = clock.monotonicMs();
  const measured = (source: string) => onMeasured?.(source, clock.monotonicMs() - begunMs);
  if (volume.emptyDir?.medium) return await fileSystems.space(path).finally(() => measured("statfs"));
  if (volume.emptyDir !== undefined || isApiVolume(volume)) {
    const parts = Promise.all([fileSystems.space(path), diskUsage(path)]);
    const [space, { bytes, inodes }] = await parts.finally(() => measured("du"));
    return { ...space, usedBytes: bytes, inodesUsed: inodes };
  }
  const ofCsi = await csiRecordAt(paths, mounter, uid, path);
  if (ofCsi !== undefined)
    return usageByDriver(await mounter?.usage(uid, ofCsi).finally(() => measured(ofCsi.driverName)));
  if (prepared.block) return undefined;
  // A network file system, or a folder of the host that may be one.
  return await fileSystemSpace(path).finally(() => measured("statfs"));
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

/** The values that a driver reports. Negative numbers, which the specification forbids, are left out. */
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
