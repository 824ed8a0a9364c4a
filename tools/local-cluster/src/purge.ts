import { existsSync } from "node:fs";
import { realpath, rmdir } from "node:fs/promises";
import { isMounted, mountsBelow, removeTree, StillMounted, unmountBelow } from "@orchernetes/cri/host";
import type { Layout } from "./layout.ts";

/** Whether `up` made this folder. A folder of that name may be anybody's, with a `pki` of its own too. */
export const isOfCluster = (files: Layout): boolean => existsSync(files.stateFile) || existsSync(files.adminConfig);

/** All that `up` and its daemons write. What the folder is known by comes last: a purge that was cut short can be done again. */
const contents = (files: Layout): readonly string[] => [
  files.nodes,
  files.embeddedStore,
  files.etcd,
  files.config,
  files.pki,
  files.logs,
  `${files.stateFile}.new`,
  files.stateFile,
  files.adminConfig,
];

/** Unmounts what is mounted below the cluster's folders, and nothing else of the data folder. @throws StillMounted when something is in use */
export async function unmountAll(files: Layout): Promise<void> {
  for (const path of contents(files)) await unmountBelow(path);
}

/**
 * Deletes what a cluster wrote into its data folder, and the folder once nothing else is in it. What is mounted below (parts of volumes,
 * which may be folders of this host) is unmounted first and never entered.
 *
 * @returns whether the folder is gone
 * @throws StillMounted when something is in use, or a folder is a mount; then nothing is deleted
 */
export async function purge(files: Layout): Promise<boolean> {
  await unmountAll(files);
  for (const path of contents(files))
    if (await isMounted(path)) throw new StillMounted(files.dataDir, [path, ...(await mountsBelow(path))], "");
  for (const path of contents(files)) await removeTree(path);
  try {
    // It may be a link, which is somebody's.
    await rmdir(await realpath(files.dataDir));
    return true;
  } catch (error) {
    // Something of somebody's is in it, or it is a file system of its own.
    if (!["ENOTEMPTY", "EEXIST", "EBUSY"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
    return false;
  }
}
