import { statfs } from "node:fs/promises";
import { messageOf } from "@orchernetes/kernel";
import { StoreError } from "../errors.ts";

/** Messages of lmdb and of the system, by what a caller can do about them. */
const NO_SPACE = /MDB_MAP_FULL|no space left|ENOSPC|EDQUOT|quota exceeded/i;
const IO = /input\/output error|EIO/i;
const CORRUPT = /MDB_(?:CORRUPTED|PAGE_NOTFOUND|INVALID|VERSION_MISMATCH|PANIC)/;
const TOO_LARGE = /MDB_BAD_VALSIZE|Key size is larger/;

/** Free bytes below which an unexplained IO error is attributed to a full disk: lmdb reports a short write as EIO. */
const FULL_BYTES = 4 << 20;

/** The remedy for a full disk. */
export const freeSpace = "free space on it, or move the store to a larger one; deletes may still work";

/**
 * Converts an error of lmdb into a StoreError.
 *
 * @param action what failed, such as `open` or `write to`
 */
export async function storeError(action: string, directory: string, error: unknown): Promise<StoreError> {
  if (error instanceof StoreError) return error;
  const cause = await rootCause(error);
  const message = messageOf(cause);
  const text = `cannot ${action} the embedded store "${directory}": ${message}`;
  if (IO.test(message) && (await diskFull(directory))) {
    return new StoreError(
      "NoSpace",
      `cannot ${action} the embedded store "${directory}": its disk is full; ${freeSpace}`,
      { cause },
    );
  }
  if (NO_SPACE.test(message)) return new StoreError("NoSpace", `${text}; ${freeSpace}`, { cause });
  if (CORRUPT.test(message)) return new StoreError("Corrupt", text, { cause });
  if (TOO_LARGE.test(message)) return new StoreError("TooLarge", text, { cause });
  return new StoreError("Unavailable", text, { cause });
}

/** Whether the disk of a directory has less free space than `bytes`; false if that is unknown. */
export async function diskFull(directory: string, bytes: number = FULL_BYTES): Promise<boolean> {
  try {
    const { bavail, bsize } = await statfs(directory);
    return bavail * bsize < bytes;
  } catch {
    return false;
  }
}

/** lmdb rejects the writes of a failed transaction with an error whose `commitError` is a promise that rejects with the reason. */
async function rootCause(error: unknown): Promise<unknown> {
  if (!(error instanceof Error) || !("commitError" in error)) return error;
  try {
    await error.commitError;
    return error;
  } catch (cause) {
    return cause;
  }
}
