import { readdir, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { removeTree, unmountBelow } from "@orchernetes/cri/host";

/**
 * Deletes a cluster's data folder. What is mounted below it (parts of volumes, which may be folders of this host) is unmounted first and
 * never entered.
 *
 * @throws StillMounted when something is in use; then nothing is deleted
 */
export async function purge(dataDir: string): Promise<void> {
  await unmountBelow(dataDir);
  for (const entry of await readdir(dataDir)) await removeTree(join(dataDir, entry));
  await rmdir(dataDir).catch((error: NodeJS.ErrnoException) => {
    // The folder is a file system of its own: it stays, empty.
    if (error.code !== "EBUSY") throw error;
  });
}
