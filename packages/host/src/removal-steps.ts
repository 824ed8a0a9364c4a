import { randomBytes } from "node:crypto";
import {
  closeSync,
  type Dirent,
  opendirSync,
  openSync,
  readFileSync,
  renameSync,
  rmdirSync,
  unlinkSync,
} from "node:fs";
import { descriptorPath, entryPath, mountIdIn, openFolderFlags } from "./open-files.ts";

/** A folder to delete: the resolved path of its parent, and its name. */
export interface Removal {
  readonly parent: string;
  readonly name: string;
}

/** A folder to be deleted is a mount point. */
export class MountInTheWay extends Error {
  override readonly name = "MountInTheWay";
}

/** Maximum number of open folders. Deeper ones are moved up first, since a container can nest folders without limit. */
const maxDepth = 32;
/** Entries deleted per step, which takes some milliseconds. */
const stepEntries = 256;

interface Folder {
  readonly fd: number;
}

/**
 * Deletes a folder recursively, step by step, with blocking calls: for a worker thread. Links are deleted, never
 * followed. Each call is relative to an open folder, so that a link that replaces a folder during the removal has no
 * effect. Mounts are never entered.
 *
 * @throws MountInTheWay; Error of the file system
 */
export function* removalSteps({ parent, name }: Removal): Generator<undefined, void, undefined> {
  const above: Folder = { fd: openSync(parent, openFolderFlags) };
  try {
    const mountId = mountIdOf(above);
    const top = openFolder(above, Buffer.from(name));
    if (top === undefined) return;
    try {
      if (mountIdOf(top) !== mountId) throw new MountInTheWay(name);
      yield* empty(top, { top, mountId, untilStep: stepEntries }, 0);
    } finally {
      closeSync(top.fd);
    }
    ifThere(() => rmdirSync(entryPath(above, name)));
  } finally {
    closeSync(above.fd);
  }
}

interface Walk {
  readonly top: Folder;
  readonly mountId: number;
  untilStep: number;
}

/** Deletes the content of an open folder. Lists it again until it is empty, because deleting may make readdir skip entries. */
function* empty(folder: Folder, walk: Walk, depth: number): Generator<undefined, void, undefined> {
  for (let found = true; found; ) {
    found = false;
    // Latin-1 preserves names that are not UTF-8.
    const entries = opendirSync(descriptorPath(folder), { encoding: "latin1", bufferSize: stepEntries });
    try {
      for (let entry = entries.readSync(); entry !== null; entry = entries.readSync()) {
        found = true;
        yield* removeEntry(folder, entry, walk, depth);
        walk.untilStep -= 1;
        if (walk.untilStep > 0) continue;
        walk.untilStep = stepEntries;
        yield;
      }
    } finally {
      entries.closeSync();
    }
  }
}

function* removeEntry(folder: Folder, entry: Dirent, walk: Walk, depth: number): Generator<undefined, void, undefined> {
  const name = Buffer.from(entry.name, "latin1");
  const at = entryPath(folder, name);
  if (!entry.isDirectory() && unlinked(at)) return;
  if (depth >= maxDepth) {
    const aside = entryPath(walk.top, `.removing-${randomBytes(8).toString("hex")}`);
    ifThere(() => renameSync(at, aside));
    return;
  }
  const inner = openFolder(folder, name);
  if (inner === undefined) {
    // Either something has replaced the folder since it was listed, or this is a file that cannot be deleted; in the
    // latter case the call throws the reason.
    ifThere(() => unlinkSync(at));
    return;
  }
  try {
    if (mountIdOf(inner) !== walk.mountId) throw new MountInTheWay(entry.name);
    yield* empty(inner, walk, depth + 1);
  } finally {
    closeSync(inner.fd);
  }
  ifThere(() => rmdirSync(at));
}

/** Deletes an entry other than a folder; false if it is a folder. Some file systems report EPERM for folders, so opening decides. */
function unlinked(at: Buffer): boolean {
  try {
    unlinkSync(at);
    return true;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return true;
    if (code === "EISDIR" || code === "EPERM") return false;
    throw code === "EBUSY" ? new MountInTheWay(message) : error;
  }
}

/** Opens a subfolder of an open folder; undefined if it does not exist or is not a folder. */
function openFolder(folder: Folder, name: Buffer): Folder | undefined {
  try {
    return { fd: openSync(entryPath(folder, name), openFolderFlags) };
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (["ENOENT", "ENOTDIR", "ELOOP"].includes(code)) return undefined;
    throw error;
  }
}

const mountIdOf = ({ fd }: Folder): number => mountIdIn(readFileSync(`/proc/self/fdinfo/${fd}`, "utf8"), fd);

function ifThere(call: () => void): void {
  try {
    call();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return;
    throw code === "EBUSY" ? new MountInTheWay(message) : error;
  }
}
