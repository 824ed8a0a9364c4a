import { constants } from "node:fs";
import { type FileHandle, open, readlink } from "node:fs/promises";
import { join, relative } from "node:path";
import { descriptorPath, entryPath, O_PATH, openEntry, openFolderFlags } from "@orchernetes/host";

/** What a path below the folder of logs names. The handle must be closed. */
export type OpenedLog =
  | { readonly type: "file"; readonly file: FileHandle }
  | { readonly type: "folder"; readonly folder: FileHandle };

/** Links that a path may go through, as in the kernel. */
const maxLinks = 40;
/** Names that a path may have: each costs two system calls. */
const maxNames = 256;
/** Length of a name in the kernel's file systems. */
const maxNameBytes = 255;

/** A path that cannot be shown: it does not exist, leads out of the folder, or is neither a file nor a folder. */
export class NoSuchLog extends Error {
  override readonly name = "NoSuchLog";
}

/**
 * Opens a file or folder below `root`. Links are followed only while they stay below `root`, one name after the other, so that no
 * change of the tree at the same time leads out of it. Opening never blocks, as a FIFO would, and has no effect on a device.
 *
 * @param path names separated by `/`; none may be `..`
 * @throws NoSuchLog
 */
export async function openLog(root: string, path: string): Promise<OpenedLog> {
  const names = partsOf(path);
  if (names.includes("..")) throw new NoSuchLog("the path leads out of the folder of logs");
  try {
    return await walk(root, names);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (["ENOENT", "ENOTDIR", "ELOOP", "EACCES", "ENAMETOOLONG", "ENXIO"].includes(code ?? ""))
      throw new NoSuchLog("no such file or folder", { cause: error });
    throw error;
  }
}

const partsOf = (path: string): readonly string[] => path.split("/").filter((name) => name !== "" && name !== ".");

async function walk(root: string, names: readonly string[]): Promise<OpenedLog> {
  let left = [...names];
  let links = 0;
  /** The folders from the root to the current one; `..` of a link goes back. */
  const opened: { readonly handle: FileHandle; readonly name: string }[] = [];
  try {
    opened.push({ handle: await open(root, openFolderFlags), name: "" });
    for (;;) {
      const here = opened.at(-1);
      if (here === undefined) throw new NoSuchLog("the path leads out of the folder of logs");
      const name = left.shift();
      if (name === undefined) {
        opened.pop();
        return { type: "folder", folder: here.handle };
      }
      if (left.length > maxNames || Buffer.byteLength(name) > maxNameBytes || name.includes("\0"))
        throw new NoSuchLog("the path is too long, or has a zero");
      if (name === "..") {
        opened.pop();
        await here.handle.close();
        continue;
      }
      const next = await step(here.handle, name);
      switch (next.type) {
        case "folder":
          opened.push({ handle: next.folder, name });
          continue;
        case "file":
          if (left.length === 0) return next;
          await next.file.close();
          throw new NoSuchLog("a part of the path is not a folder");
        case "link":
          if (++links > maxLinks) throw new NoSuchLog("the path goes through too many links");
          left = [...(await follow(root, next.target, opened)), ...left];
      }
    }
  } finally {
    for (const { handle } of opened) await handle.close();
  }
}

type Step = OpenedLog | { readonly type: "link"; readonly target: string };

async function step(folder: FileHandle, name: string): Promise<Step> {
  const pinned = await openEntry(folder, name, O_PATH);
  try {
    const found = await pinned.stat();
    if (found.isSymbolicLink()) return { type: "link", target: await readlink(entryPath(folder, name), "utf8") };
    if (found.isDirectory())
      return { type: "folder", folder: await open(descriptorPath(pinned), constants.O_RDONLY | constants.O_DIRECTORY) };
    if (!found.isFile()) throw new NoSuchLog("it is neither a file nor a folder");
    const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;
    return { type: "file", file: await open(descriptorPath(pinned), flags) };
  } finally {
    await pinned.close();
  }
}

/** The names to go on with after a link. An absolute target starts at the root again. @throws NoSuchLog */
async function follow(
  root: string,
  target: string,
  opened: { readonly handle: FileHandle; readonly name: string }[],
): Promise<readonly string[]> {
  if (!target.startsWith("/")) return partsOf(target);
  const below = relative(root, join(target));
  if (below === ".." || below.startsWith("../")) throw new NoSuchLog("a link leads out of the folder of logs");
  for (const { handle } of opened.splice(1)) await handle.close();
  return partsOf(below);
}
