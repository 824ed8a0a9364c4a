import { lstatSync, readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { readMemoryFile } from "@orchernetes/host";
import { dataFolder, dataLink, type VolumeContent, visibleNames } from "./volume-file.ts";

/**
 * Whether a folder of a file system in memory shows exactly these files, with these owners and modes. It is read synchronously, which is
 * cheaper, and does not block because nothing is read from a disk: every such volume of the node is compared each minute.
 */
export function isShownInMemory(folder: string, content: VolumeContent): boolean {
  try {
    const shown = dataFolder(readlinkSync(join(folder, dataLink)));
    if (shown === undefined || !isSame(join(folder, shown), content)) return false;
    const visible = new Set(readdirSync(folder));
    return [...visibleNames(content)].every((name) => visible.has(name));
  } catch {
    // Something is missing, or was removed meanwhile.
    return false;
  }
}

function isSame(folder: string, content: VolumeContent): boolean {
  const present = filesBelow(folder, "", content.size);
  return (
    present.length === content.size &&
    present.every((path) => {
      const wanted = content.get(path);
      if (wanted === undefined) return false;
      const at = join(folder, path);
      const { mode, uid } = lstatSync(at);
      if ((mode & 0o777) !== (wanted.mode & 0o777) || (wanted.uid ?? 0) !== uid) return false;
      return readMemoryFile(at, wanted.content.length)?.equals(wanted.content) ?? false;
    })
  );
}

/** Paths of the files below a folder: all, or more than `most`. */
function filesBelow(folder: string, prefix: string, most: number): string[] {
  const found: string[] = [];
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = `${prefix}${entry.name}`;
    if (entry.isDirectory()) found.push(...filesBelow(join(folder, entry.name), `${path}/`, most));
    else found.push(path);
    if (found.length > most) break;
  }
  return found;
}
