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
    // Without a journal file nothing is written: the lock can be had on a full disk, too.
    database.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
  } catch (cause) {
    database.close();
    if (!isBusy(cause)) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new StoreError("Unavailable", `cannot lock the embedded store "${directory}": ${why}`, { cause });
    }
    const owner = ownerOf(ownerFile);
    throw new StoreError(
      "Unavailable",
      `cannot open the embedded store "${directory}": it is in use by ${owner}; stop that process or choose another path`,
      { cause },
    );
  }
  try {
    writeFileSync(ownerFile, `${process.pid}\n`, { mode: 0o600 });
  } catch {
    // For messages only, and a full disk must not keep reads from being served.
  }
  return () => {
    rmSync(ownerFile, { force: true });
    database.close();
  };
}

function ownerOf(file: string): string {
  try {
    const pid = readFileSync(file, "utf8").trim();
    return pid === "" ? "another process" : `process ${pid}`;
  } catch {
    return "another process";
  }
}

/** Whether SQLite says that another has the lock (SQLITE_BUSY). */
function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && error.errcode === 5;
}
