import { renameSync, rmSync } from "node:fs";

/**
 * Puts a folder in the place of another one, which need not exist. Several processes may do so at the same time: the folder of the last
 * one stays, and files of two of them are never mixed.
 *
 * @param next complete folder, on the same file system; it has only the new name afterwards
 */
export function replaceFolder(next: string, folder: string): void {
  const old = `${next}.old`;
  while (!renamed(next, folder, ["ENOTEMPTY", "EEXIST"])) {
    // Fails if another process has just moved the old one away.
    renamed(folder, old, ["ENOENT"]);
    rmSync(old, { recursive: true, force: true });
  }
}

/** Whether the folder was renamed; false for the expected errors. */
function renamed(from: string, to: string, expected: readonly string[]): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if (expected.includes((error as NodeJS.ErrnoException).code ?? "")) return false;
    throw error;
  }
}
