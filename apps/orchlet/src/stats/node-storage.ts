import { type FileSystemUsage, fileSystemUsage } from "./file-system-usage.ts";
import type { UsageSource } from "./usage-source.ts";

/** The file systems of the node. */
export interface NodeStorage {
  /** That of the agent's root folder. */
  readonly node: FileSystemUsage | undefined;
  /** That of images and containers. */
  readonly image: FileSystemUsage | undefined;
  readonly imageUsed: { readonly usedBytes: number; readonly inodesUsed: number };
}

/** Reads the file systems of the node. */
export async function nodeStorage({ cri, rootDir }: UsageSource): Promise<NodeStorage> {
  const node = fileSystemUsage(rootDir);
  // A runtime may have no figures of its images; those of the disk are shown then.
  const [images] = (await cri.images.imageFsInfo({}).catch(() => undefined))?.imageFilesystems ?? [];
  const image = fileSystemUsage(images?.fsId?.mountpoint || rootDir) ?? node;
  return {
    ...{ node, image },
    imageUsed: {
      usedBytes: images?.usedBytes ?? image?.usedBytes ?? 0,
      inodesUsed: images?.inodesUsed ?? image?.inodesUsed ?? 0,
    },
  };
}
