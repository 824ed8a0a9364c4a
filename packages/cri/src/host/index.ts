/**
 * Mounts and files of the host that containers may have had their hands on: looked at, read and deleted so that no link, mount, FIFO
 * or device in the way can mislead or block a daemon. Linux only.
 *
 * @module
 */
export { removeCgroups } from "./cgroups.ts";
export {
  bindMount,
  canMount,
  isMounted,
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
export { removeTree, unmountAndRemove } from "./remove-tree.ts";
