import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { CriClient } from "@orchernetes/cri";
import { isCriError } from "@orchernetes/cri";
import { removeTree } from "@orchernetes/host";
import { forEachDespiteErrors } from "../util/for-each-despite-errors.ts";
import type { Paths } from "../util/paths.ts";
import type { VolumeManager } from "../volumes/volume-manager.ts";
import { containerNameLabel, podUidLabel } from "./labels.ts";

/**
 * Removes exited containers and their logs, except for the newest ones of each container name in each pod.
 *
 * @param keep number of exited containers to keep per name; they provide `lastState` and the previous log
 * @returns ids of all remaining containers
 * @throws AggregateError of all failures, after the last container
 */
export async function collectContainers(cri: CriClient, keep: number): Promise<ReadonlySet<string>> {
  const { containers } = await cri.runtime.listContainers({});
  const left = new Set(containers.map(({ id }) => id));
  const ended = new Map<string, typeof containers>();
  for (const container of containers) {
    const uid = container.labels[podUidLabel];
    if (uid === undefined || container.state !== "CONTAINER_EXITED") continue;
    const key = `${uid}/${container.labels[containerNameLabel] ?? ""}`;
    ended.set(key, [...(ended.get(key) ?? []), container]);
  }
  const surplus = [...ended.values()].flatMap((copies) =>
    [...copies].sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1)).slice(Math.max(0, keep)),
  );
  await forEachDespiteErrors(surplus, async ({ id }) => {
    await removeContainer(cri, id);
    left.delete(id);
  });
  return left;
}

async function removeContainer(cri: CriClient, containerId: string): Promise<void> {
  try {
    const { status } = await cri.runtime.containerStatus({ containerId });
    await cri.runtime.removeContainer({ containerId });
    if (!status?.logPath) return;
    const folder = dirname(status.logPath);
    const name = basename(status.logPath);
    for (const entry of await readdir(folder).catch(() => []))
      if (entry === name || entry.startsWith(`${name}.`)) await removeTree(join(folder, entry));
  } catch (error) {
    if (!isCriError(error, "NotFound")) throw error;
  }
}

/** Removes the folders of unknown pods, such as pods that were deleted while the agent did not run. */
export async function collectPodFolders(
  paths: Paths,
  volumes: VolumeManager,
  isKnown: (uid: string) => boolean,
): Promise<void> {
  const uids = await readdir(paths.pods).catch(() => []);
  await forEachDespiteErrors(uids, async (uid) => {
    if (!isKnown(uid)) await volumes.remove(uid);
  });
}
