import type { CriClient } from "@orchernetes/cri";
import type { FileSystemSpace } from "@orchernetes/host";
import { type Clock, type Logger, messageOf } from "@orchernetes/kernel";

/** When images are removed, and how many. */
export interface ImagePolicy {
  /** Usage of the file system in percent from which images are removed; 100 means never (`imageGCHighThresholdPercent`). */
  readonly highPercent: number;
  /** Usage in percent at which removal stops (`imageGCLowThresholdPercent`). */
  readonly lowPercent: number;
  /** Minimum time since an image was pulled: it may belong to a pod that is just being created (`imageMinimumGCAge`). */
  readonly minimumAgeMs: number;
}

/** The options of {@link ImageGarbage}. */
export interface ImageGarbageOptions {
  readonly cri: Pick<CriClient, "images" | "runtime">;
  readonly policy: ImagePolicy;
  /** The file system of images. @throws Error if it does not answer */
  readonly space: () => Promise<Pick<FileSystemSpace, "availableBytes" | "capacityBytes">>;
  /** Whether an image is in use although no container shows it, such as the sandbox image. */
  readonly isKept: (tags: readonly string[]) => boolean;
  readonly recordNodeEvent: (reason: string, message: string) => void;
  readonly clock: Pick<Clock, "monotonicMs">;
  readonly logger: Logger;
}

interface ImageRecord {
  readonly sizeBytes: number;
  readonly isUnused: boolean;
  readonly seenSinceMs: number;
  readonly lastUsedMs: number;
}

/** Number of errors of one collection that are reported. */
const maxErrors = 20;

/** Removes images that no container uses, starting with the one that has been unused for longest. Exited containers use theirs, too. */
export class ImageGarbage {
  readonly #options: ImageGarbageOptions;
  #images: ReadonlyMap<string, ImageRecord> = new Map();
  #hasLooked = false;

  constructor(options: ImageGarbageOptions) {
    this.#options = options;
  }

  /** Records which images exist, and which are in use. Images of the first call count as old. @throws CriError */
  async look(): Promise<void> {
    const { cri, isKept, clock } = this.#options;
    const nowMs = clock.monotonicMs();
    const [{ images }, { containers }] = await Promise.all([cri.images.listImages({}), cri.runtime.listContainers({})]);
    const used = new Set(containers.flatMap(({ imageRef, image }) => [imageRef, image?.image ?? ""]));
    const before = this.#images;
    const isFirst = !this.#hasLooked;
    this.#images = new Map(
      images.map(({ id, repoTags, repoDigests, pinned, size }): [string, ImageRecord] => {
        const isUnused =
          !pinned && !isKept(repoTags) && ![id, ...repoTags, ...repoDigests].some((name) => used.has(name));
        const known = before.get(id);
        const since = isFirst ? Number.NEGATIVE_INFINITY : nowMs;
        return [
          id,
          {
            sizeBytes: size,
            isUnused,
            seenSinceMs: known?.seenSinceMs ?? since,
            lastUsedMs: isUnused ? (known?.lastUsedMs ?? Number.NEGATIVE_INFINITY) : nowMs,
          },
        ];
      }),
    );
    this.#hasLooked = true;
  }

  /**
   * Removes images if the file system is fuller than the policy allows. Events on the node report a file system without a size, and
   * too few unused images.
   *
   * @returns ids of removed images
   * @throws CriError; AggregateError of the failures of images; Error if the file system does not answer, or too little could be
   *   removed
   */
  async collect(): Promise<readonly string[]> {
    const { policy, space, recordNodeEvent } = this.#options;
    await this.look();
    const { highPercent, lowPercent } = policy;
    if (highPercent >= 100) return [];
    const { capacityBytes, availableBytes: free } = await space();
    const availableBytes = Math.min(free, capacityBytes);
    if (capacityBytes === 0) {
      recordNodeEvent("InvalidDiskCapacity", "invalid capacity 0 on image filesystem");
      throw new Error("invalid capacity 0 on image filesystem");
    }
    if (100 - Math.floor((availableBytes * 100) / capacityBytes) < highPercent) return [];
    const wanted = Math.floor((capacityBytes * (100 - lowPercent)) / 100) - availableBytes;
    const { removed, bytes } = await this.#remove(wanted);
    if (bytes >= wanted) return removed;
    const message = `Failed to garbage collect required amount of images. Attempted to free ${wanted} bytes, but only found ${bytes} bytes eligible to free.`;
    recordNodeEvent("FreeDiskSpaceFailed", message);
    throw new Error(message);
  }

  /** Removes all unused images that are old enough. @returns ids of removed images @throws as {@link collect} */
  async removeUnused(): Promise<readonly string[]> {
    await this.look();
    return (await this.#remove(Number.POSITIVE_INFINITY)).removed;
  }

  async #remove(wantedBytes: number): Promise<{ readonly removed: readonly string[]; readonly bytes: number }> {
    const { cri, policy, clock, logger } = this.#options;
    const nowMs = clock.monotonicMs();
    const unused = [...this.#images]
      .filter(([, { isUnused, seenSinceMs }]) => isUnused && nowMs - seenSinceMs >= policy.minimumAgeMs)
      .sort(([, a], [, b]) => ordered(a.lastUsedMs, b.lastUsedMs) || ordered(a.seenSinceMs, b.seenSinceMs));
    const removed = new Set<string>();
    const errors: unknown[] = [];
    let bytes = 0;
    for (const [id, { sizeBytes }] of unused) {
      try {
        await cri.images.removeImage({ image: { image: id } });
      } catch (error) {
        // Of a runtime that removes none of its images, some errors tell enough.
        if (errors.length < maxErrors) errors.push(error);
        continue;
      }
      logger.info("Removed an unused image", { image: id, bytes: sizeBytes });
      removed.add(id);
      bytes += sizeBytes;
      // Not earlier: as in the original, one image is removed even if nothing is missing.
      if (bytes >= wantedBytes) break;
    }
    this.#images = new Map([...this.#images].filter(([id]) => !removed.has(id)));
    if (errors.length > 0)
      throw new AggregateError(
        errors,
        `wanted to free ${wantedBytes} bytes, but freed ${bytes}: ${messageOf(errors[0])}`,
      );
    return { removed: [...removed], bytes };
  }
}

/** Unlike a difference, this is correct for infinite times. */
const ordered = (a: number, b: number): number => (a === b ? 0 : a < b ? -1 : 1);
