import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from "node:fs";
import { messageOf, readStateBytes } from "@orchernetes/kernel";

/** Limit of what is read, and therefore written. State files have some bytes for each container of the node. */
const maxBytes = 16 * 1024 * 1024;

/**
 * Reads a JSON object from a state file.
 *
 * @returns undefined if there is none
 * @throws Error if it cannot be read, or is something else
 */
export function readStateFile(path: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(readStateBytes(path, maxBytes).toString("utf8"));
    if (isObject(value)) return value;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw new Error(`cannot read ${path}: ${messageOf(error)}`, { cause: error });
  }
  throw new Error(`cannot read ${path}: want a JSON object`);
}

/**
 * Replaces a state file atomically: after a crash, it is either the old or the new one. Waits for the disk, because decisions that the
 * file records are carried out next.
 *
 * @throws Error if it cannot be written, or is so large that it could not be read again; the old file stays then
 */
export function writeStateFile(path: string, value: object): void {
  const text = Buffer.from(JSON.stringify(value));
  if (text.length > maxBytes)
    throw new Error(`cannot write ${path}: it would have ${text.length} bytes; want at most ${maxBytes}`);
  try {
    replaceFile(path, text);
  } catch (cause) {
    const want = "want a directory that this process may write to, with free space";
    throw new Error(`cannot write ${path}: ${messageOf(cause)}; ${want}`, { cause });
  }
}

function replaceFile(path: string, text: Buffer): void {
  const temporary = `${path}.new`;
  const file = openSync(temporary, "w", 0o600);
  try {
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(temporary, path);
}

/** Whether a value of a JSON document is an object. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
