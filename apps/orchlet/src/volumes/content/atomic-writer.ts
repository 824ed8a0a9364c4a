import { chmod, chown, lstat, mkdir, mkdtemp, readdir, readlink, rename, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isInMemory, readRegularFile, removeTree } from "@orchernetes/host";
import { isShownInMemory } from "./memory-content.ts";
import { dataFolder, dataLink, type VolumeContent, visibleNames } from "./volume-file.ts";

/**
 * Makes the folder contain exactly these files. A reader sees either all old files or all new files: the new files are
 * written to a separate folder, and a single rename of the link `..data` makes them visible.
 *
 * @param gid group of the files @default root's group
 * @returns whether anything changed
 * @throws Error if a path leads out of the folder
 */
export async function writeAtomically(folder: string, content: VolumeContent, gid?: number): Promise<boolean> {
  for (const path of content.keys()) checkPath(path);
  await mkdir(folder, { recursive: true, mode: 0o755 });
  const link = join(folder, dataLink);
  if (await isWritten(folder, content)) return false;
  const before = await shownFolder(folder);
  // Remove leftovers before writing: on a full disk, this may free the necessary space.
  await removeLeftovers(folder, before);

  const stamp = new Date().toISOString().replaceAll(/[-:T]/g, "_").slice(0, 19);
  const fresh = await mkdtemp(join(folder, `..${stamp}.`));
  await chmod(fresh, 0o755);
  for (const [path, file] of content) {
    const target = join(fresh, path);
    await mkdir(dirname(target), { recursive: true, mode: 0o755 });
    await writeFile(target, file.content, { mode: file.mode });
    await chmod(target, file.mode);
    if (file.uid !== undefined || gid !== undefined) await chown(target, file.uid ?? 0, gid ?? 0);
  }
  const name = fresh.slice(folder.length + 1);
  const temporary = join(folder, "..data_tmp");
  await symlink(name, temporary);
  await rename(temporary, link);

  const wanted = visibleNames(content);
  for (const entry of wanted) {
    const at = join(folder, entry);
    const there = await lstat(at).catch(() => undefined);
    if (there === undefined) await symlink(join(dataLink, entry), at);
  }
  for (const entry of await readdir(folder))
    if (!entry.startsWith("..") && !wanted.has(entry)) await removeTree(join(folder, entry));
  await removeLeftovers(folder, name);
  return true;
}

/** Whether {@link writeAtomically} has nothing to change: an earlier call may have been interrupted at any time. */
export async function isWritten(folder: string, content: VolumeContent): Promise<boolean> {
  if (isSmall(content) && (await isInMemory(folder).catch(() => false))) return isShownInMemory(folder, content);
  const shown = await shownFolder(folder);
  if (shown === undefined || !(await isSame(join(folder, shown), content))) return false;
  const visible = new Set(await readdir(folder));
  return [...visibleNames(content)].every((name) => visible.has(name));
}

/** Limits of what is compared in one turn of the event loop. */
const maxSmallFiles = 32;
const maxSmallBytes = 64 * 1024;

/** Whether content can be compared with files in memory at once. */
function isSmall(content: VolumeContent): boolean {
  if (content.size > maxSmallFiles) return false;
  let bytes = 0;
  for (const file of content.values()) bytes += file.content.length;
  return bytes <= maxSmallBytes;
}

/** Name of the folder with the current files. */
const shownFolder = (folder: string): Promise<string | undefined> =>
  readlink(join(folder, dataLink)).then(dataFolder, () => undefined);

/**
 * Deletes data folders other than the current one: the previous one, and incomplete ones left by a crash or a full
 * disk.
 */
async function removeLeftovers(folder: string, shown: string | undefined): Promise<void> {
  for (const entry of await readdir(folder))
    if (entry.startsWith("..") && entry !== dataLink && entry !== shown) await removeTree(join(folder, entry));
}

function checkPath(path: string): void {
  const parts = path.split("/");
  if (path === "" || path.startsWith("/") || parts.includes("..") || path.startsWith(".."))
    throw new Error(`invalid path ${JSON.stringify(path)}: want a relative path that does not begin with ".."`);
}

/** Whether the folder already has exactly these files, with these owners and modes. */
async function isSame(folder: string, content: VolumeContent): Promise<boolean> {
  const present = await filesBelow(folder, "");
  if (present === undefined || present.length !== content.size) return false;
  for (const path of present) {
    const wanted = content.get(path);
    if (wanted === undefined) return false;
    const at = join(folder, path);
    const { mode, uid } = await lstat(at);
    if ((mode & 0o777) !== (wanted.mode & 0o777) || (wanted.uid ?? 0) !== uid) return false;
    const found = await readRegularFile(at, { maxBytes: wanted.content.length + 1 }).catch(() => undefined);
    if (found === undefined || !wanted.content.equals(found)) return false;
  }
  return true;
}

async function filesBelow(folder: string, prefix: string): Promise<string[] | undefined> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => undefined);
  if (entries === undefined) return undefined;
  const found: string[] = [];
  for (const entry of entries) {
    const path = `${prefix}${entry.name}`;
    if (entry.isDirectory()) found.push(...((await filesBelow(join(folder, entry.name), `${path}/`)) ?? []));
    else found.push(path);
  }
  return found;
}
