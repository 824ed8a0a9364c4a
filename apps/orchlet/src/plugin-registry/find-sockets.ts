import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";

/** Folders of plugins are one or two levels deep; the limit ends the search of a folder with very many levels. */
const maxDepth = 3;
const maxSockets = 256;

/**
 * The unix sockets below a folder by their paths, each with an identity that changes when another one takes its place. Names that begin
 * with a dot are skipped, and links not followed.
 */
export async function findSockets(folder: string): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  await search(folder, maxDepth, found);
  return found;
}

async function search(folder: string, depth: number, found: Map<string, string>): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    if (entry.name.startsWith(".") || found.size >= maxSockets) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory() && depth > 1) await search(path, depth - 1, found);
    else if (entry.isSocket()) {
      const stat = await lstat(path).catch(() => undefined);
      if (stat !== undefined) found.set(path, `${stat.dev}:${stat.ino}:${stat.ctimeMs}`);
    }
  }
}
