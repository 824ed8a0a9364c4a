/**
 * Images and the file system that holds them. Wire numbers: CRI `runtime.v1` at API level 1.27.
 *
 * @module
 */

import type { PodSandboxConfig } from "./sandbox.ts";
import type { MessageSpec } from "./spec.ts";

/** An image by reference or id. */
export interface ImageSpec {
  image: string;
  annotations: Record<string, string>;
}

/** An image on the node. `size` in bytes. */
export interface Image {
  id: string;
  repoTags: string[];
  repoDigests: string[];
  size: number;
  uid?: number;
  username: string;
  spec?: ImageSpec;
  pinned: boolean;
}

/** Registry credentials. Never log. */
export interface AuthConfig {
  username: string;
  password: string;
  auth: string;
  serverAddress: string;
  identityToken: string;
  registryToken: string;
}

/** Selects images by reference or id. */
export interface ImageFilter {
  image?: ImageSpec;
}

/** Request of `ListImages`. */
export interface ListImagesRequest {
  filter?: ImageFilter;
}

/** Answer of `ListImages`. */
export interface ListImagesResponse {
  images: Image[];
}

/** Request of `ImageStatus`. */
export interface ImageStatusRequest {
  image?: ImageSpec;
  verbose: boolean;
}

/** Answer of `ImageStatus`. */
export interface ImageStatusResponse {
  image?: Image;
  info: Record<string, string>;
}

/** Request of `PullImage`. */
export interface PullImageRequest {
  image?: ImageSpec;
  auth?: AuthConfig;
  sandboxConfig?: PodSandboxConfig;
}

/** Answer of `PullImage`. */
export interface PullImageResponse {
  imageRef: string;
}

/** Request of `RemoveImage`. */
export interface RemoveImageRequest {
  image?: ImageSpec;
}

/** Answer of `RemoveImage`. */
export type RemoveImageResponse = Record<never, never>;

/** A file system by its mount point. */
export interface FilesystemIdentifier {
  mountpoint: string;
}

/** Usage of a file system. `timestamp` in ns since the epoch. */
export interface FilesystemUsage {
  timestamp: bigint;
  fsId?: FilesystemIdentifier;
  usedBytes?: number;
  inodesUsed?: number;
}

/** Request of `ImageFsInfo`. */
export type ImageFsInfoRequest = Record<never, never>;

/** Answer of `ImageFsInfo`. */
export interface ImageFsInfoResponse {
  imageFilesystems: FilesystemUsage[];
}

/** Wire form of the messages of this file. */
export const imageMessages = {
  ImageSpec: { image: [1, "string"], annotations: [2, "map"] } satisfies MessageSpec<ImageSpec>,
  Image: {
    id: [1, "string"],
    repoTags: [2, "[]string"],
    repoDigests: [3, "[]string"],
    size: [4, "uint64"],
    uid: [5, "Int64Value"],
    username: [6, "string"],
    spec: [7, "ImageSpec"],
    pinned: [8, "bool"],
  } satisfies MessageSpec<Image>,
  AuthConfig: {
    username: [1, "string"],
    password: [2, "string"],
    auth: [3, "string"],
    serverAddress: [4, "string"],
    identityToken: [5, "string"],
    registryToken: [6, "string"],
  } satisfies MessageSpec<AuthConfig>,
  ImageFilter: { image: [1, "ImageSpec"] } satisfies MessageSpec<ImageFilter>,
  ListImagesRequest: { filter: [1, "ImageFilter"] } satisfies MessageSpec<ListImagesRequest>,
  ListImagesResponse: { images: [1, "[]Image"] } satisfies MessageSpec<ListImagesResponse>,
  ImageStatusRequest: { image: [1, "ImageSpec"], verbose: [2, "bool"] } satisfies MessageSpec<ImageStatusRequest>,
  ImageStatusResponse: { image: [1, "Image"], info: [2, "map"] } satisfies MessageSpec<ImageStatusResponse>,
  PullImageRequest: {
    image: [1, "ImageSpec"],
    auth: [2, "AuthConfig"],
    sandboxConfig: [3, "PodSandboxConfig"],
  } satisfies MessageSpec<PullImageRequest>,
  PullImageResponse: { imageRef: [1, "string"] } satisfies MessageSpec<PullImageResponse>,
  RemoveImageRequest: { image: [1, "ImageSpec"] } satisfies MessageSpec<RemoveImageRequest>,
  RemoveImageResponse: {} satisfies MessageSpec<RemoveImageResponse>,
  FilesystemIdentifier: { mountpoint: [1, "string"] } satisfies MessageSpec<FilesystemIdentifier>,
  FilesystemUsage: {
    timestamp: [1, "nanos"],
    fsId: [2, "FilesystemIdentifier"],
    usedBytes: [3, "UInt64Value"],
    inodesUsed: [4, "UInt64Value"],
  } satisfies MessageSpec<FilesystemUsage>,
  ImageFsInfoRequest: {} satisfies MessageSpec<ImageFsInfoRequest>,
  ImageFsInfoResponse: { imageFilesystems: [1, "[]FilesystemUsage"] } satisfies MessageSpec<ImageFsInfoResponse>,
};
