/**
 * Safe access to mounts and files of the host that containers may have changed: no link, mount, FIFO or device can redirect or block a
 * daemon that reads or deletes them. Linux only.
 *
 * @example
 * ```ts
 * import { readRegularFile, removeTree } from "@orchernetes/host";
 *
 * const message = await readRegularFile("/var/lib/orchlet/pods/a/termination-log", { maxBytes: 4096, from: "end" });
 * console.log(message.toString());
 * await removeTree("/var/lib/orchlet/pods/a");
 * ```
 *
 * @module
 */
export { removeCgroups } from "./cgroups.ts";
export { type DiskUsage, diskUsage, type FileSystemSpace, fileSystemSpace } from "./disk-usage.ts";
export { FileSystems, type FileSystemsOptions } from "./file-systems.ts";
export { type WrongKernelSetting, wrongKernelSettings } from "./kernel-settings.ts";
export { isInMemory, readMemoryFile } from "./memory-files.ts";
export {
  bindMount,
  canMount,
  isMounted,
  mountFileSystem,
  mountsBelow,
  mountTmpfs,
  StillMounted,
  unmount,
  unmountBelow,
} from "./mounts.ts";
export { descriptorPath, entryPath, mountIdOf, O_PATH, openEntry, openFolderFlags } from "./open-files.ts";
export { closeFile, ensureFolder, requireOwn } from "./private-folder.ts";
export {
  NotARegularFile,
  openRegularFile,
  type ReadPart,
  readRegularFile,
  writeRegularFile,
} from "./regular-file.ts";
export { NotAPlainPath, removeTree, removeTreeBelow, unmountAndRemove } from "./remove-tree.ts";
export { parseResolverFile, type ResolverFile } from "./resolver-file.ts";
