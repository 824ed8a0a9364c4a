import { chmod, mkdir, rm } from "node:fs/promises";
import type { core } from "@orchernetes/api";
import { valueOf as wholeValueOf } from "@orchernetes/apimachinery";
import type { Client } from "@orchernetes/client";
import type { Paths } from "../paths.ts";
import { writeAtomically } from "./atomic-writer.ts";
import { type ContentSources, contentOf, isApiVolume } from "./content.ts";
import { prepareHostPath } from "./host-path.ts";
import { isMounted, mountTmpfs, unmountBelow } from "./mounts.ts";
import { giveToGroup } from "./ownership.ts";
import { prepareClaim } from "./persistent-volume.ts";

/** A volume that can be mounted into containers. */
export interface PreparedVolume {
  readonly path: string;
  readonly readOnly: boolean;
}

/** Some volume of a pod is not to be had now. */
export class VolumeError extends Error {
  override readonly name = "VolumeError";
  readonly volume: string;
  constructor(volume: string, cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause);
    super(`MountVolume.SetUp failed for volume "${volume}" : ${why}`, { cause });
    this.volume = volume;
  }
}

/** Makes the volumes of pods, keeps their content up to date, and deletes them. */
export interface VolumeManager {
  /**
   * Every volume of the pod, by name. Idempotent: called again, it brings content up to date.
   * @throws VolumeError for the first one that fails
   */
  prepare(pod: core.Pod, sources: ContentSources): Promise<ReadonlyMap<string, PreparedVolume>>;
  /** Unmounts and deletes what the pod had on this node. Idempotent. @throws Error when something is in use */
  remove(uid: string): Promise<void>;
}

const plugins = {
  emptyDir: "empty-dir",
  configMap: "configmap",
  secret: "secret",
  downwardAPI: "downward-api",
  projected: "projected",
} as const;

export function createVolumeManager(options: {
  readonly paths: Paths;
  readonly client: Client | undefined;
}): VolumeManager {
  const { paths, client } = options;

  const prepareOne = async (pod: core.Pod, volume: core.Volume, sources: ContentSources): Promise<PreparedVolume> => {
    const { uid = "", namespace = "" } = pod.metadata;
    const { fsGroup } = pod.spec.securityContext ?? {};
    if (volume.hostPath !== undefined) return { path: await prepareHostPath(volume.hostPath), readOnly: false };
    if (volume.persistentVolumeClaim !== undefined) {
      if (client === undefined) throw new Error("persistent volumes need an API server");
      const { claimName, readOnly = false } = volume.persistentVolumeClaim;
      const prepared = await prepareClaim(client, namespace, claimName);
      return { path: prepared.path, readOnly: readOnly || prepared.readOnly };
    }
    if (volume.emptyDir !== undefined) {
      const path = paths.volume(uid, plugins.emptyDir, volume.name);
      await prepareEmptyDir(path, volume.emptyDir, fsGroup);
      return { path, readOnly: false };
    }
    if (isApiVolume(volume)) {
      const plugin = Object.entries(plugins).find(([key]) => volume[key as keyof core.Volume] !== undefined)?.[1];
      const path = paths.volume(uid, plugin ?? plugins.projected, volume.name);
      const content = await contentOf(pod, volume, sources);
      const grouped =
        fsGroup === undefined
          ? content
          : new Map([...content].map(([name, file]) => [name, { ...file, mode: file.mode | 0o040 }]));
      await writeAtomically(path, grouped, fsGroup);
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
    async remove(uid) {
      if (!/^[\w.-]+$/.test(uid) || uid === "." || uid === "..") throw new Error(`"${uid}" is no pod uid`);
      const folder = paths.pod(uid);
      await unmountBelow(folder);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function prepareEmptyDir(
  path: string,
  { medium = "", sizeLimit }: core.EmptyDirVolumeSource,
  fsGroup: number | undefined,
): Promise<void> {
  await mkdir(path, { recursive: true });
  if (medium === "Memory") {
    if (!(await isMounted(path))) await mountTmpfs(path, sizeLimit === undefined ? undefined : wholeValueOf(sizeLimit));
  } else if (medium !== "") throw new Error(`emptyDir medium "${medium}" is not available on this node`);
  await chmod(path, 0o777);
  if (fsGroup !== undefined) await giveToGroup(path, fsGroup);
}
