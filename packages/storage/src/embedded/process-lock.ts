import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { StoreError } from "../errors.ts";

/**
 * Holds `directory` for this process: the kernel drops the lock when the process ends, however it ends, so nothing is ever
 * stale. Node has no flock of its own; SQLite's exclusive lock on an empty file is one, on every platform.
 *
 * @returns the release function.
 * @throws StoreError `Unavailable` naming the directory and, if known, the process that holds it.
 */
export function lockDirectory(directory: string): () => void {
  const ownerFile = join(directory, "owner");
  const database = new DatabaseSync(join(directory, "lock"), { timeout: 0 });
  try {
    database.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
  } catch (cause) {
    database.close();
    const owner = ownerOf(ownerFile);
    throw new StoreError(
      "Unavailable",
      `cannot open the embedded store "${directory}": it is in use by ${owner}; stop that process or choose another path`,
      { cause },
    );
  }
  writeFileSync(ownerFile, `${process.pid}\n`, { mode: 0o600 });
  return () => {
    rmSync(ownerFile, { force: true });
    database.close();
  };
}

function ownerOf(file: string): string {
  try {
    return `process ${readFileSync(file, "utf8").trim()}`;
  } catch {
    return "another process";
  }
}
