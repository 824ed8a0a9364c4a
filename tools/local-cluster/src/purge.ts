import { existsSync } from "node:fs";
import { realpath, rmdir } from "node:fs/promises";
import { isMounted, mountsBelow, removeTree, StillMounted, unmountBelow } from "@orchernetes/host";
import type { Layout } from "./layout.ts";

/** Whether `up` created this folder. Another program may have made a folder of that name, even with a `pki`. */
export const isOfCluster = (files: Layout): boolean => existsSync(files.stateFile) || existsSync(files.adminConfig);

/** Everything that `up` and its daemons write. The file that identifies the folder is last, so that an interrupted purge can be repeated. */
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
    // It may be a link, which `up` did not make.
    await rmdir(await realpath(files.dataDir));
    return true;
  } catch (error) {
    // It has files that `up` did not write, or is a mount.
    if (!["ENOTEMPTY", "EEXIST", "EBUSY"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
    return false;
  }
}
