import type { Stats } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import { messageOf } from "@orchernetes/kernel";

/** Who may own a module and its folders: this process's user, and root, who can change everything anyway. */
const allowedOwners = (): readonly number[] => [0, process.geteuid?.() ?? 0];

/**
 * Loads a JavaScript or TypeScript file, which then runs with all rights of this process. Therefore nobody else may be able to change
 * it: the file, and every folder on the way to it, must belong to this user or root, and be writable by no other (a folder with the
 * sticky bit may be).
 *
 * @param path absolute
 * @param owners user ids, for tests
 * @returns the default export of the module, or one line that says why it is not used
 */
export async function loadTrustedModule(
  path: string,
  owners = allowedOwners(),
): Promise<{ readonly exported: unknown } | { readonly error: string }> {
  try {
    // Links are followed once: what is checked is what is loaded.
    const file = await realpath(path);
    const problem = await changeableBy(file, owners);
    if (problem !== undefined) return { error: problem };
    const loaded = (await import(pathToFileURL(file).href)) as { readonly default?: unknown };
    return { exported: loaded.default };
  } catch (error) {
    return { error: `${JSON.stringify(path)} cannot be loaded: ${messageOf(error)}` };
  }
}

async function changeableBy(file: string, owners: readonly number[]): Promise<string | undefined> {
  const own = await stat(file);
  if (!own.isFile()) return `${JSON.stringify(file)} is no file`;
  const found = problemOf(file, own, owners);
  if (found !== undefined) return found;
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    const wrong = problemOf(folder, await stat(folder), owners);
    if (wrong !== undefined) return wrong;
    if (folder === dirname(folder)) return undefined;
  }
}

function problemOf(path: string, { uid, mode }: Stats, owners: readonly number[]): string | undefined {
  if (!owners.includes(uid)) {
    return `${JSON.stringify(path)} belongs to user ${uid}; want one of user ${owners.join(" or ")}`;
  }
  const isSticky = (mode & 0o1000) !== 0;
  if ((mode & 0o022) === 0 || isSticky) return undefined;
  return `${JSON.stringify(path)} can be changed by other users; want no write permission for group and others (chmod go-w)`;
}
