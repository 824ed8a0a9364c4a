import type { core } from "@orchernetes/api";
import { unmountAndRemove } from "@orchernetes/host";
import { messageOf } from "@orchernetes/kernel";
import { type ContentSources, createContentLimit } from "./content/content.ts";
import { releaseFlexVolumes } from "./plugins/flex-volume.ts";
import { type PreparedVolume, prepareVolume, type VolumeTools } from "./prepare-volume.ts";

/** A volume of a pod cannot be prepared now. The message is that of the original's FailedMount event. */
export class VolumeError extends Error {
  override readonly name = "VolumeError";
  readonly volume: string;
  constructor(volume: string, cause: unknown) {
    const why = messageOf(cause);
    super(`MountVolume.SetUp failed for volume "${volume}" : ${why}`, { cause });
    this.volume = volume;
  }
}

/**
 * Most volumes of a pod. Each may be a mount, and the kernel has 100,000 of them at most, for all pods; all are looked through for each
 * one.
 */
const maxVolumes = 500;

/** Prepares the volumes of pods, keeps their content up to date, and deletes them. */
export interface VolumeManager {
  /**
   * Prepares all volumes of the pod, by name. Idempotent: another call updates their content.
   *
   * @param signal ends waiting for a volume to be attached @default none
   * @throws VolumeError for the first volume that fails; the signal's reason
   */
  prepare(pod: core.Pod, sources: ContentSources, signal?: AbortSignal): Promise<ReadonlyMap<string, PreparedVolume>>;
  /**
   * Unmounts and deletes the volumes of a terminated pod. The files of its status and logs stay. Idempotent.
   *
   * @throws Error if a volume is still in use
   */
  release(uid: string): Promise<void>;
  /** Unmounts and deletes all files of the pod on this node. Idempotent. @throws Error if a volume is still in use */
  remove(uid: string): Promise<void>;
  /** What the last successful {@link VolumeManager.prepare} of a pod has returned; undefined if its volumes are not there. */
  prepared(uid: string): ReadonlyMap<string, PreparedVolume> | undefined;
  /** Removes what is left of volumes that no pod uses. @throws Error if a driver is not there; the rest is done */
  collect(): Promise<void>;
}

/** Creates the manager of this node's volumes. */
export function createVolumeManager(tools: VolumeTools): VolumeManager {
  const { paths, csi, flex } = tools;
  const never = new AbortController().signal;
  const preparedByPod = new Map<string, ReadonlyMap<string, PreparedVolume>>();
  /** Volumes that drivers have mounted must be unmounted by them, before anything is removed. */
  const releaseFromDrivers = async (uid: string): Promise<void> => {
    preparedByPod.delete(uid);
    // They are mounts of parts of what the drivers have mounted.
    await unmountAndRemove(paths.subPaths(uid));
    await csi?.mounter.release(uid);
    await releaseFlexVolumes(uid, { drivers: flex, paths });
  };
  return {
    async prepare(pod, sources, signal = never) {
      const prepared = new Map<string, PreparedVolume>();
      const { volumes = [] } = pod.spec;
      if (volumes.length > maxVolumes)
        throw new VolumeError(
          volumes[maxVolumes]?.name ?? "",
          new Error(`the pod has ${volumes.length} volumes; want at most ${maxVolumes}`),
        );
      const countContent = createContentLimit();
      for (const volume of volumes) {
        try {
          prepared.set(volume.name, await prepareVolume(tools, { pod, sources, countContent, signal }, volume));
        } catch (error) {
          signal.throwIfAborted();
          throw new VolumeError(volume.name, error);
        }
      }
      preparedByPod.set(pod.metadata.uid ?? "", prepared);
      return prepared;
    },
    prepared: (uid) => preparedByPod.get(uid),
    async release(uid) {
      await releaseFromDrivers(uid);
      for (const folder of [paths.volumes(uid), paths.volumeDevices(uid), paths.plugins(uid)])
        await unmountAndRemove(folder);
    },
    async remove(uid) {
      await releaseFromDrivers(uid);
      await unmountAndRemove(paths.pod(uid));
    },
    async collect() {
      await csi?.mounter.collectStaged();
    },
  };
}
