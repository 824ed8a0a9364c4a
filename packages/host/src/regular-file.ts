import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { descriptorPath, O_PATH } from "./open-files.ts";

/** A path at which a file was expected and something else is, such as a FIFO, a device or a link. */
export class NotARegularFile extends Error {
  override readonly name = "NotARegularFile";
  constructor(path: string, found: string) {
    super(`cannot use ${JSON.stringify(path)}: it is ${found}; want a regular file`);
  }
}

/**
 * Opens a file that a container may have replaced. It never blocks (as opening a FIFO would), has no effect on a device, and does not
 * follow a link in the last component of the path.
 *
 * @param flags of open(2) besides those that make this safe @default O_RDONLY
 * @throws NotARegularFile; Error with code ENOENT when there is nothing
 */
export async function openRegularFile(path: string, flags: number = constants.O_RDONLY): Promise<FileHandle> {
  const pinned = await open(path, O_PATH | constants.O_NOFOLLOW);
  try {
    const found = await pinned.stat();
    if (!found.isFile()) throw new NotARegularFile(path, kindOf(found));
    return await open(descriptorPath(pinned), flags | constants.O_NONBLOCK | constants.O_NOCTTY);
  } finally {
    await pinned.close();
  }
}

/** Which part of a file to read, at most `maxBytes` of it. */
export interface ReadPart {
  readonly maxBytes: number;
  /** @default "start" */
  readonly from?: "start" | "end";
}

/** Reads a part of a file that a container may have replaced. @throws as {@link openRegularFile} */
export async function readRegularFile(path: string, { maxBytes, from = "start" }: ReadPart): Promise<Buffer> {
  const file = await openRegularFile(path);
  try {
    const { size } = await file.stat();
    const length = Math.min(size, maxBytes);
    return await readAt(file, length, from === "end" ? size - length : 0);
  } finally {
    await file.close();
  }
}

/**
 * Replaces the content of a file that a container may have replaced. Writes in place, so that the change is visible where the file is
 * open or mounted; creates a missing file. The content is overwritten without truncating first: on a full disk there may be no space
 * to write it again.
 * @throws NotARegularFile
 */
export async function writeRegularFile(path: string, content: string | Buffer, mode: number): Promise<void> {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const file = await open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return openRegularFile(path, O_WRONLY);
  });
  try {
    const bytes = Buffer.from(content);
    for (let at = 0; at < bytes.length; ) at += (await file.write(bytes, at, bytes.length - at, at)).bytesWritten;
    await file.truncate(bytes.length);
    await file.chmod(mode);
  } finally {
    await file.close();
  }
}

async function readAt(file: FileHandle, length: number, from: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  let at = 0;
  while (at < length) {
    const { bytesRead } = await file.read(buffer, at, length - at, from + at);
    // The file was truncated after its size was read.
    if (bytesRead === 0) break;
    at += bytesRead;
  }
  return buffer.subarray(0, at);
}

function kindOf(found: Awaited<ReturnType<FileHandle["stat"]>>): string {
  if (found.isDirectory()) return "a directory";
  if (found.isSymbolicLink()) return "a symbolic link";
  if (found.isFIFO()) return "a FIFO";
  if (found.isSocket()) return "a socket";
  return "a device";
}
