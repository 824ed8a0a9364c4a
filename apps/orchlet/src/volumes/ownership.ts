import { chmod, lchown, lstat, readdir } from "node:fs/promises";
import { join } from "node:path";

const groupBits = 0o660;
const folderBits = 0o2110;

/** Gives everything in a volume to a group that may read and write it; what is made later belongs to it as well. */
export async function giveToGroup(path: string, gid: number): Promise<void> {
  const found = await lstat(path);
  await lchown(path, found.uid, gid);
  if (found.isSymbolicLink()) return;
  const mode = found.mode & 0o7777;
  await chmod(path, mode | groupBits | (found.isDirectory() ? folderBits : 0));
  if (!found.isDirectory()) return;
  for (const entry of await readdir(path)) await giveToGroup(join(path, entry), gid);
}
