/**
 * Images and the file systems that hold them.
 *
 * @module
 */
import { bool, int64, list, nanos, string, stringMap, uint64 } from "./fields.ts";
import { type Infer, message, wrapper } from "./message.ts";

/** An image by reference or id. */
export const ImageSpec = message({ image: [1, string], annotations: [2, stringMap] });

/** An image on the node. */
export const Image = message({
  id: [1, string],
  repoTags: [2, list(string)],
  repoDigests: [3, list(string)],
  /** Bytes. */
  size: [4, uint64],
  /** User that the image runs as; absent if it names the user by `username`, or not at all. */
  uid: [5, wrapper(int64)],
  username: [6, string],
  spec: [7, ImageSpec],
  /** Must not be removed by garbage collection. */
  pinned: [8, bool],
});
export interface Image extends Infer<typeof Image> {}

/** Credentials for a registry. Never log. */
export const AuthConfig = message({
  username: [1, string],
  password: [2, string],
  /** `username:password` in base64. */
  auth: [3, string],
  serverAddress: [4, string],
  /** Authenticates the user and gets an access token from the registry. */
  identityToken: [5, string],
  /** Bearer token, sent to the registry as it is. */
  registryToken: [6, string],
});
export interface AuthConfig extends Infer<typeof AuthConfig> {}

/** Usage of a file system. */
export const FilesystemUsage = message({
  timestamp: [1, nanos],
  fsId: [2, message({ mountpoint: [1, string] })],
  usedBytes: [3, wrapper(uint64)],
  inodesUsed: [4, wrapper(uint64)],
});
