import { statfs } from "node:fs/promises";
import type { ImageHandlers } from "../server/serve-cri.ts";
import type { HostImages } from "./host-images.ts";

/** The image service of the process runtime: names without files. */
export function createImageService(images: HostImages, rootDir: string, nowNs: () => bigint): ImageHandlers {
  return {
    listImages({ filter }) {
      const wanted = filter?.image?.image ?? "";
      if (wanted === "") return { images: images.list() };
      const image = images.find(wanted);
      return { images: image === undefined ? [] : [image] };
    },
    imageStatus({ image }) {
      const found = images.find(image?.image ?? "");
      return found === undefined ? {} : { image: found };
    },
    pullImage: ({ image }) => ({ imageRef: images.pull(image?.image ?? "").id }),
    // There is nothing to delete, and the name keeps working.
    removeImage: () => ({}),
    async imageFsInfo() {
      const { blocks, bfree, bsize, files, ffree } = await statfs(rootDir);
      const usage = {
        timestamp: nowNs(),
        fsId: { mountpoint: rootDir },
        usedBytes: (blocks - bfree) * bsize,
        inodesUsed: files - ffree,
      };
      return { imageFilesystems: [usage] };
    },
  };
}
