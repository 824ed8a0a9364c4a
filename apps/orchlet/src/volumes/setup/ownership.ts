import { constants } from "node:fs";
import { chmod, chown, type FileHandle, open, opendir } from "node:fs/promises";
import { descriptorPath, O_PATH, openEntry } from "@orchernetes/host";

const groupBits = 0o660;
const folderBits = 0o2110;
/** Maximum depth: paths of containers cannot be deeper, and each level needs two descriptors. */
const maxDepth = 2048;

/**
 * fsGroupChangePolicy: change ownership at each start of a pod, or only if the volume's folder does not have the group
 * yet.
 */
export type GroupChangePolicy = "Always" | "OnRootMismatch";

/**
 * Changes the group of everything in a volume to fsGroup with read and write access; files created later inherit it.
 * The walk opens each folder relative to its parent and changes only open files, so that links cannot lead it out of
 * the volume. The volume's own folder comes last, so that an interrupted walk is repeated under either policy.
 *
 * Call it before the pod's containers start: afterwards they may change modes and owners.
 */
export async function giveToGroup(path: string, gid: number, policy: GroupChangePolicy = "Always"): Promise<void> {
  const top = await open(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    const { gid: owner, mode } = await top.stat();
    const wanted = groupBits | folderBits;
    if (policy === "OnRootMismatch" && owner === gid && (mode & wanted) === wanted) return;
    await giveContent(top, gid, 0);
    await give(top, gid);
  } finally {
    await top.close();
  }
}

async function giveContent(folder: FileHandle, gid: number, depth: number): Promise<void> {
  if (depth > maxDepth)
    throw new Error(`cannot set the group of a volume whose folders are nested deeper than ${maxDepth}`);
  // Latin-1 preserves names that are not UTF-8.
  for await (const { name } of await opendir(descriptorPath(folder), { encoding: "latin1" })) {
    const entry = await openIfThere(folder, Buffer.from(name, "latin1"));
    if (entry === undefined) continue;
    try {
      if ((await entry.stat()).isDirectory()) {
        const inner = await open(descriptorPath(entry), constants.O_RDONLY | constants.O_DIRECTORY);
        try {
          await giveContent(inner, gid, depth + 1);
        } finally {
          await inner.close();
        }
      }
      await give(entry, gid);
    } finally {
      await entry.close();
    }
  }
}

/** Changes an open file through the path of its descriptor, since O_PATH descriptors do not allow it directly. */
async function give(opened: FileHandle, gid: number): Promise<void> {
  const found = await opened.stat();
  const at = descriptorPath(opened);
  if (found.gid !== gid) await chown(at, found.uid, gid);
  if (found.isSymbolicLink()) return;
  const before = found.mode & 0o7777;
  const after = before | groupBits | (found.isDirectory() ? folderBits : 0);
  // chown clears the set-ID bits.
  if (after !== before || found.gid !== gid) await chmod(at, after);
}

async function openIfThere(folder: FileHandle, name: Buffer): Promise<FileHandle | undefined> {
  try {
    return await openEntry(folder, name, O_PATH);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
