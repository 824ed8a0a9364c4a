import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { messageOf } from "@orchernetes/kernel";
import { StoreError } from "../errors.ts";

/**
 * Locks a directory for this process. The kernel releases the lock when the process ends, for whatever reason, so it
 * cannot become stale as a file with a process id can. Node has no flock; SQLite's exclusive lock on an empty file
 * serves as one on every platform.
 *
 * @returns a function that releases the lock
 * @throws StoreError `Unavailable` with the directory and, if known, the process that holds the lock
 */
export function lockDirectory(directory: string): () => void {
  const ownerFile = join(directory, "owner");
  const database = new DatabaseSync(join(directory, "lock"), { timeout: 0 });
  try {
    // Without a journal file nothing is written, so the lock can also be acquired on a full disk.
    database.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
  } catch (cause) {
    database.close();
    if (!isBusy(cause)) {
      const why = messageOf(cause);
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
    // The file is only for messages, and a store on a full disk must still serve reads.
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

/** Whether another connection has the lock (SQLITE_BUSY). */
function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && error.errcode === 5;
}
