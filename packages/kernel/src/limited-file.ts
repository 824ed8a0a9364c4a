import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { open } from "node:fs/promises";

/** Size of the parts in which a file is read, in bytes. */
const partBytes = 64 * 1024;
/** A FIFO without a writer does not block the process. */
const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;

/**
 * Reads a file of the daemon's own state. After a mistake of an operator or another program, anything may be in its place, such as a FIFO
 * or a device. Links are followed.
 *
 * @throws Error with code ENOENT if there is no such file; Error if it is not a regular file, or larger than `maxBytes`
 */
export function readStateBytes(path: string, maxBytes: number): Buffer {
  const fd = openSync(path, flags);
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile())
      throw new Error(`${JSON.stringify(path)} is not a regular file; want one of at most ${maxBytes} bytes`);
    if (stat.size > maxBytes) throw tooLarge(path, maxBytes);
    const parts: Buffer[] = [];
    for (let total = 0; ; ) {
      // Files of /proc have no size.
      const part = Buffer.alloc(Math.min(Math.max(stat.size - total + 1, 4096), maxBytes + 1));
      const length = readSync(fd, part);
      if (length === 0) return Buffer.concat(parts);
      total += length;
      if (total > maxBytes) throw tooLarge(path, maxBytes);
      parts.push(part.subarray(0, length));
    }
  } finally {
    closeSync(fd);
  }
}

/**
 * Reads a file that a user names, which may be a pipe. Not much more than `maxBytes` is read of a larger one.
 *
 * @throws Error if it cannot be read, or is larger than `maxBytes`
 */
export async function readLimitedFile(path: string, maxBytes: number): Promise<Buffer> {
  const file = await open(path);
  try {
    const parts: Buffer[] = [];
    for (let total = 0; ; ) {
      const part = Buffer.alloc(partBytes);
      const { bytesRead } = await file.read(part);
      if (bytesRead === 0) return Buffer.concat(parts);
      total += bytesRead;
      if (total > maxBytes) throw tooLarge(path, maxBytes);
      parts.push(part.subarray(0, bytesRead));
    }
  } finally {
    await file.close();
  }
}

const tooLarge = (path: string, maxBytes: number): Error =>
  new Error(`${JSON.stringify(path)} is too large; want a file of at most ${maxBytes} bytes`);
