/**
 * Container images without a registry: built from files of this machine, packed reproducibly, and imported into
 * containerd.
 *
 * @example
 * ```ts
 * import { buildBusyboxImage, ensureImage } from "@orchernetes/cri/images";
 *
 * await ensureImage("/run/containerd/containerd.sock", await buildBusyboxImage());
 * ```
 *
 * @module
 */
export {
  type BusyboxOptions,
  buildBusyboxImage,
  buildPauseImage,
  busyboxFiles,
  busyboxImage,
  findBusybox,
  pauseImage,
} from "./busybox-images.ts";
export { ensureImage, type ImportImageOptions, importImage } from "./import-image.ts";
export { buildImageArchive, type ImageArchive, type ImageDefinition } from "./oci-archive.ts";
export { createTar, type TarEntry } from "./tar.ts";
