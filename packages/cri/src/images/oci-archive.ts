import { createHash } from "node:crypto";
import { createTar, type TarEntry } from "./tar.ts";

/** Content and defaults of an image. */
export interface ImageDefinition {
  /** Full reference, e.g. `localhost/busybox:1`. */
  readonly reference: string;
  /** The root file system, as one layer. */
  readonly files: readonly TarEntry[];
  readonly entrypoint?: readonly string[];
  readonly cmd?: readonly string[];
  /** `NAME=value` pairs. */
  readonly env?: readonly string[];
  readonly workingDir?: string;
  /** Name or id of the user that processes run as. @default root */
  readonly user?: string;
  /** OCI architecture name. @default that of this machine */
  readonly architecture?: string;
}

/** An image archive, and the digest of its config, which is the id of the image in a runtime. */
export interface ImageArchive {
  readonly reference: string;
  /** An OCI image layout that `docker load` accepts as well. */
  readonly tar: Buffer;
  /** `sha256:…` */
  readonly imageId: string;
  /** `sha256:…` of the manifest. */
  readonly manifest: string;
  /** Layer, config and manifest by digest, as a registry serves them. */
  readonly blobs: ReadonlyMap<string, Uint8Array>;
}

/**
 * Packs an image into an OCI layout archive (OCI image spec 1.0), with a `manifest.json` for Docker.
 *
 * The layer is not compressed, so that digests depend on the files alone and not on a version of zlib.
 */
export function buildImageArchive(image: ImageDefinition): ImageArchive {
  const architecture = image.architecture ?? ociArchitecture(process.arch);
  const layer = createTar(image.files);
  const config = json({
    architecture,
    os: "linux",
    created: "1970-01-01T00:00:00Z",
    config: {
      ...(image.env && { Env: image.env }),
      ...(image.entrypoint && { Entrypoint: image.entrypoint }),
      ...(image.cmd && { Cmd: image.cmd }),
      ...(image.workingDir && { WorkingDir: image.workingDir }),
      ...(image.user && { User: image.user }),
    },
    rootfs: { type: "layers", diff_ids: [digest(layer)] },
    history: [{ created: "1970-01-01T00:00:00Z", created_by: "orchernetes images" }],
  });
  const manifest = json({
    schemaVersion: 2,
    mediaType: "application/vnd.oci.image.manifest.v1+json",
    config: descriptor("application/vnd.oci.image.config.v1+json", config),
    layers: [descriptor("application/vnd.oci.image.layer.v1.tar", layer)],
  });
  const index = json({
    schemaVersion: 2,
    manifests: [
      {
        ...descriptor("application/vnd.oci.image.manifest.v1+json", manifest),
        platform: { architecture, os: "linux" },
        annotations: {
          "io.containerd.image.name": image.reference,
          "org.opencontainers.image.ref.name": image.reference.slice(image.reference.lastIndexOf(":") + 1),
        },
      },
    ],
  });
  const dockerManifest = json([{ Config: blobPath(config), RepoTags: [image.reference], Layers: [blobPath(layer)] }]);
  const tar = createTar([
    { type: "directory", path: "blobs" },
    { type: "directory", path: "blobs/sha256" },
    ...[layer, config, manifest].map((content): TarEntry => ({ type: "file", path: blobPath(content), content })),
    { type: "file", path: "index.json", content: index },
    { type: "file", path: "manifest.json", content: dockerManifest },
    { type: "file", path: "oci-layout", content: json({ imageLayoutVersion: "1.0.0" }) },
  ]);
  return {
    reference: image.reference,
    tar,
    imageId: digest(config),
    manifest: digest(manifest),
    blobs: new Map([layer, config, manifest].map((content) => [digest(content), content])),
  };
}

function json(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}

function digest(content: Uint8Array): string {
  return `sha256:${createHash("sha256").update(content).digest("hex")}`;
}

function blobPath(content: Uint8Array): string {
  return `blobs/sha256/${digest(content).slice("sha256:".length)}`;
}

function descriptor(mediaType: string, content: Uint8Array): object {
  return { mediaType, digest: digest(content), size: content.length };
}

function ociArchitecture(arch: string): string {
  return { x64: "amd64", ia32: "386" }[arch] ?? arch;
}
