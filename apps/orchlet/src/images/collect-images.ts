import type { CriClient } from "@orchernetes/cri";

/**
 * Removes images that no container uses, starting with the image that has been unused for longest. It starts above the
 * high threshold and stops below the low one. Exited containers count as users: they may be restarted.
 *
 * @returns ids of removed images
 */
export async function collectImages(
  cri: CriClient,
  options: {
    /** Use of the file system in percent; read again after each removal. */
    readonly usedPercent: () => number;
    readonly highPercent: number;
    readonly lowPercent: number;
    /** Time for which an image must have been unused: it may belong to a pod that is just being created. */
    readonly minimumAgeMs: number;
    /**
     * Time at which each image was first seen unused, by id; in milliseconds. The caller keeps the map between calls.
     */
    readonly firstUnused: Map<string, number>;
    readonly nowMs: number;
    /** Whether an image is in use although no container shows it, such as the sandbox image. */
    readonly isKept: (tags: readonly string[]) => boolean;
  },
): Promise<readonly string[]> {
  const { firstUnused, nowMs } = options;
  const [{ images }, { containers }] = await Promise.all([cri.images.listImages({}), cri.runtime.listContainers({})]);
  const used = new Set(containers.flatMap(({ imageRef, image }) => [imageRef, image?.image ?? ""]));
  const unused = images.filter(
    ({ id, repoTags, repoDigests, pinned }) =>
      !pinned && !options.isKept(repoTags) && ![id, ...repoTags, ...repoDigests].some((name) => used.has(name)),
  );
  const ids = new Set(unused.map(({ id }) => id));
  for (const id of firstUnused.keys()) if (!ids.has(id)) firstUnused.delete(id);
  for (const id of ids) if (!firstUnused.has(id)) firstUnused.set(id, nowMs);
  if (options.usedPercent() < options.highPercent) return [];
  const removed: string[] = [];
  const oldestFirst = [...unused].sort((a, b) => (firstUnused.get(a.id) ?? 0) - (firstUnused.get(b.id) ?? 0));
  for (const { id } of oldestFirst) {
    if (options.usedPercent() < options.lowPercent) break;
    if (nowMs - (firstUnused.get(id) ?? nowMs) < options.minimumAgeMs) continue;
    await cri.images.removeImage({ image: { image: id } });
    removed.push(id);
  }
  return removed;
}
