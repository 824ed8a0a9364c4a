import type { FileSystemSpace } from "@orchernetes/host";
import type { UsageSource } from "../usage-source.ts";

/** The file systems of the node. Undefined: there is none, or it does not answer. */
export interface NodeStorage {
  /** That of the agent's root folder. */
  readonly node: FileSystemSpace | undefined;
  /** That of images and containers. */
  readonly image: FileSystemSpace | undefined;
  /** Where images are, which is on {@link NodeStorage.image}. */
  readonly imagePath: string;
  readonly imageUsed: { readonly usedBytes: number; readonly inodesUsed: number };
}

/** Reads the file systems of the node. */
export async function nodeStorage({
  cri,
  rootDir,
  fileSystems,
}: Pick<UsageSource, "cri" | "rootDir" | "fileSystems">): Promise<NodeStorage> {
  const space = (path: string) => fileSystems.space(path).catch(() => undefined);
  const node = await space(rootDir);
  // A runtime may have no figures of its images; those of the disk are shown then.
  const [images] = (await cri.images.imageFsInfo({}).catch(() => undefined))?.imageFilesystems ?? [];
  const named = images?.fsId?.mountpoint || rootDir;
  const own = named === rootDir ? node : await space(named);
  const image = own ?? node;
  return {
    ...{ node, image, imagePath: own === undefined ? rootDir : named },
    imageUsed: {
      usedBytes: images?.usedBytes ?? image?.usedBytes ?? 0,
      inodesUsed: images?.inodesUsed ?? image?.inodesUsed ?? 0,
    },
  };
}
