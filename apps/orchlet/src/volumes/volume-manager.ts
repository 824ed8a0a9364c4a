import type { core } from "@orchernetes/api";
import type { Client } from "@orchernetes/client";
import { unmountAndRemove } from "@orchernetes/host";
import { messageOf } from "@orchernetes/kernel";
import type { LastKnown } from "../objects/last-known.ts";
import type { Paths } from "../util/paths.ts";
import { isSecret, writeApiVolume } from "./api-volume.ts";
import { type ContentSources, contentOf, isApiVolume } from "./content.ts";
import { prepareEmptyDir } from "./empty-dir.ts";
import { prepareHostPath } from "./host-path.ts";
import { giveToGroup } from "./ownership.ts";
import { type ClaimedVolume, prepareClaim } from "./persistent-volume.ts";
import { isReadyElsewhere, localPlugin, readyText, setReady } from "./ready-mark.ts";

/** A volume that can be mounted into containers. */
export interface PreparedVolume {
  readonly path: string;
  readonly readOnly: boolean;
}

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

/** Prepares the volumes of pods, keeps their content up to date, and deletes them. */
export interface VolumeManager {
  /**
   * Prepares all volumes of the pod, by name. Idempotent: another call updates their content.
   *
   * @throws VolumeError for the first volume that fails
   */
  prepare(pod: core.Pod, sources: ContentSources): Promise<ReadonlyMap<string, PreparedVolume>>;
  /**
   * Unmounts and deletes the volumes of a terminated pod. The files of its status and logs stay. Idempotent.
   *
   * @throws Error if a volume is still in use
   */
  release(uid: string): Promise<void>;
  /** Unmounts and deletes all files of the pod on this node. Idempotent. @throws Error if a volume is still in use */
  remove(uid: string): Promise<void>;
}

/** Plugin names by the volume source: folders are named after them, as in the original. */
const plugins = {
  emptyDir: "empty-dir",
  configMap: "configmap",
  secret: "secret",
  downwardAPI: "downward-api",
  projected: "projected",
} as const;

/** Creates the manager of this node's volumes. */
export function createVolumeManager(options: {
  readonly paths: Paths;
  readonly nodeName: string;
  readonly client: Client | undefined;
  readonly lastKnown: LastKnown;
  /** Whether this process may mount; if not, secrets are stored in folders that only containers and root can access. */
  readonly mayMount: boolean;
}): VolumeManager {
  const { paths, nodeName, client, lastKnown, mayMount } = options;
  const node = { nodeName, localVolumes: paths.localVolumes };

  const prepareOne = async (pod: core.Pod, volume: core.Volume, sources: ContentSources): Promise<PreparedVolume> => {
    const { uid = "", namespace = "" } = pod.metadata;
    const { fsGroup } = pod.spec.securityContext ?? {};
    if (volume.hostPath !== undefined) return { path: await prepareHostPath(volume.hostPath), readOnly: false };
    if (volume.persistentVolumeClaim !== undefined) {
      if (client === undefined) throw new Error("persistent volumes need an API server");
      const { claimName, readOnly = false } = volume.persistentVolumeClaim;
      const claimed = await lastKnown.read(uid, `claim/${namespace}/${claimName}`, () =>
        prepareClaim(client, node, namespace, claimName),
      );
      const prepared = { path: claimed.path, readOnly: readOnly || claimed.readOnly };
      await takeVolume(paths, pod, volume.name, { ...claimed, readOnly: prepared.readOnly });
      return prepared;
    }
    if (volume.emptyDir !== undefined) {
      const path = paths.volume(uid, plugins.emptyDir, volume.name);
      const mark = paths.plugin(uid, plugins.emptyDir, volume.name);
      await prepareEmptyDir(path, mark, volume.emptyDir, { fsGroup, paths });
      return { path, readOnly: false };
    }
    if (isApiVolume(volume)) {
      const plugin = Object.entries(plugins).find(([key]) => volume[key as keyof core.Volume] !== undefined)?.[1];
      const path = paths.volume(uid, plugin ?? plugins.projected, volume.name);
      const content = await contentOf(pod, volume, sources);
      await writeApiVolume(path, content, { inMemory: mayMount && isSecret(volume), fsGroup, paths });
      return { path, readOnly: true };
    }
    const kind = Object.keys(volume).find((key) => key !== "name") ?? "unknown";
    throw new Error(
      `volumes of kind ${kind} cannot be mounted by this agent; it mounts emptyDir, hostPath, configMap, secret, downwardAPI, projected, and claims on hostPath or local volumes`,
    );
  };

  return {
    async prepare(pod, sources) {
      const prepared = new Map<string, PreparedVolume>();
      for (const volume of pod.spec.volumes ?? []) {
        try {
          prepared.set(volume.name, await prepareOne(pod, volume, sources));
        } catch (error) {
          throw new VolumeError(volume.name, error);
        }
      }
      return prepared;
    },
    async release(uid) {
      for (const folder of [paths.subPaths(uid), paths.volumes(uid), paths.plugins(uid)])
        await unmountAndRemove(folder);
    },
    remove: async (uid) => unmountAndRemove(paths.pod(uid)),
  };
}

/**
 * Takes a volume for a pod, once, also if the pod only reads it: its folder must not be removed meanwhile. Applies fsGroup
 * to a local volume, unless another pod uses it (the first pod's fsGroup applies), and rejects a second pod of an exclusive
 * one, which the scheduler does not see if the pod names its node.
 */
async function takeVolume(
  paths: Paths,
  pod: core.Pod,
  name: string,
  { path, local, exclusive, readOnly }: ClaimedVolume,
): Promise<void> {
  const { uid = "" } = pod.metadata;
  if (!local && !exclusive) return;
  const mark = paths.plugin(uid, localPlugin, name);
  if ((await readyText(mark)) !== undefined) return;
  const isShared = await isReadyElsewhere(paths, uid, localPlugin, path);
  if (exclusive && isShared)
    throw new Error("volume uses the ReadWriteOncePod access mode and is already in use by another pod");
  const { fsGroup, fsGroupChangePolicy } = pod.spec.securityContext ?? {};
  if (local && !readOnly && fsGroup !== undefined && !isShared) await giveToGroup(path, fsGroup, fsGroupChangePolicy);
  await setReady(mark, path, paths);
}
