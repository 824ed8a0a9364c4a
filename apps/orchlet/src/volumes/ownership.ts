import { constants } from "node:fs";
import { chmod, chown, type FileHandle, open, opendir } from "node:fs/promises";
import { descriptorPath, O_PATH, openEntry } from "@orchernetes/cri/host";

const groupBits = 0o660;
const folderBits = 0o2110;
/** No path of a container can be nested deeper, and each level holds two descriptors. */
const maxDepth = 2048;

/** When a volume's content is given to the pod's group: at each pod's start, or only if the volume's folder has not been given yet. */
export type GroupChangePolicy = "Always" | "OnRootMismatch";

/**
 * Gives everything in a volume to a group that may read and write it; what is made later belongs to it as well. The walk goes from
 * open folder to open folder and changes opened files only: no link in the volume leads it out. The volume's own folder comes last,
 * so that a walk that was cut short is done again under either policy.
 *
 * To be called before the pod's containers start: afterwards modes and owners are the user's.
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
  // Latin 1 has a character for each byte: names that are no UTF-8 survive.
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

/** Changes what is open, through its descriptor's path: the descriptor itself may only point at it. */
async function give(opened: FileHandle, gid: number): Promise<void> {
  const found = await opened.stat();
  const at = descriptorPath(opened);
  if (found.gid !== gid) await chown(at, found.uid, gid);
  if (found.isSymbolicLink()) return;
  const before = found.mode & 0o7777;
  const after = before | groupBits | (found.isDirectory() ? folderBits : 0);
  // A change of the group takes bits away.
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
