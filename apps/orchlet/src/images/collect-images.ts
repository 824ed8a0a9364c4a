import type { CriClient } from "@orchernetes/cri";

/**
 * Removes images that no container uses, those unused for longest first, until the file system is below the low threshold.
 *
 * @param usedPercent how full the file system is, asked again after each image
 * @param firstUnused when each image was first seen unused, in milliseconds; kept between calls
 * @returns ids of removed images
 */
export async function collectImages(
  cri: CriClient,
  options: {
    readonly usedPercent: () => number;
    readonly highPercent: number;
    readonly lowPercent: number;
    readonly minimumAgeMs: number;
    readonly firstUnused: Map<string, number>;
    readonly nowMs: number;
    /** The sandbox image: in use although containers do not show it. */
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
