import { type FileHandle, mkdir, open, rename, stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { Clock, Logger } from "@orchernetes/kernel";
import type { LineWriter } from "./log-backend.ts";
import { backupPath, cleanBackups } from "./rotated-files.ts";

/** Options of {@link RotatingFile}. */
export interface RotatingFileOptions {
  readonly path: string;
  /** Size in bytes beyond which the file is rotated. */
  readonly maxBytes: number;
  /** Number of rotated files to keep; 0: all. */
  readonly maxBackups: number;
  /** Days for which rotated files are kept; 0: no limit. */
  readonly maxAgeDays: number;
  /** Whether rotated files are compressed. */
  readonly compress: boolean;
  readonly clock: Clock;
  readonly logger: Pick<Logger, "error">;
}

/** Events contain user names and bodies of requests, so only the owner can read them. */
const fileMode = 0o600;
/** Maximum number of bytes in a write, so that the requests at the front of the queue do not wait for those at its end. */
const mostBytesPerWrite = 4 * 1024 * 1024;

/** Lines that wait to be written, with the caller that waits for them. */
interface Waiting {
  readonly bytes: Buffer;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * A log file that is rotated: when it reaches a size it is renamed, and a new one is begun. Lines that arrive during a write are written
 * together by the next one, so that many requests wait for few writes. Lines are written completely or not at all, and never divided
 * between two files.
 */
export class RotatingFile implements LineWriter {
  readonly #options: RotatingFileOptions;
  #file: FileHandle;
  #size: number;
  #waiting: Waiting[] = [];
  #writing: Promise<void> | undefined;
  #cleaning: Promise<void> = Promise.resolve();

  private constructor(options: RotatingFileOptions, file: FileHandle, size: number) {
    this.#options = options;
    this.#file = file;
    this.#size = size;
    this.#clean();
  }

  /** Opens the file for appending. Creates it and its directory if they do not exist. */
  static async open(options: RotatingFileOptions): Promise<RotatingFile> {
    await mkdir(dirname(options.path), { recursive: true, mode: 0o700 });
    const file = await open(options.path, "a+", fileMode);
    return new RotatingFile(options, file, await lineStart(file));
  }

  append(lines: string | Buffer): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ bytes: typeof lines === "string" ? Buffer.from(lines) : lines, resolve, reject });
      this.#writing ??= this.#writeAll();
    });
  }

  /** Waits for all writes and for the compression of rotated files, and closes the file. */
  async close(): Promise<void> {
    await this.#writing;
    await this.#cleaning;
    await this.#file.close();
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      try {
        const [first] = this.#waiting;
        if (this.#size > 0 && this.#size + (first?.bytes.length ?? 0) > this.#options.maxBytes) await this.#rotate();
      } catch (error) {
        this.#options.logger.error(error, "The audit log cannot be rotated", { path: this.#options.path });
      }
      const group = this.#nextGroup();
      try {
        await this.#write(group.map(({ bytes }) => bytes));
        for (const { resolve } of group) resolve();
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    this.#writing = undefined;
  }

  /** Takes the lines for the next write: as many as fit into the file, but at least one entry. */
  #nextGroup(): readonly Waiting[] {
    const room = Math.min(mostBytesPerWrite, this.#options.maxBytes - this.#size);
    let bytes = 0;
    let count = 0;
    for (const { bytes: next } of this.#waiting) {
      bytes += next.length;
      if (count > 0 && bytes > room) break;
      count++;
    }
    return this.#waiting.splice(0, count);
  }

  async #write(texts: readonly Buffer[]): Promise<void> {
    let left = texts;
    let written = 0;
    try {
      while (left.length > 0) {
        const { bytesWritten } = await this.#file.writev(left);
        written += bytesWritten;
        left = without(left, bytesWritten);
      }
      this.#size += written;
    } catch (error) {
      // A full disk stores a part of the lines. It is removed, so that the next write does not continue an incomplete line.
      await this.#file.truncate(this.#size).catch(() => undefined);
      throw error;
    }
  }

  async #rotate(): Promise<void> {
    const { path, clock } = this.#options;
    const { mode } = await stat(path).catch(() => ({ mode: fileMode }));
    let atMs = clock.nowMs();
    // Two rotations within a millisecond would have the same name, and the second would replace the first file.
    while (await exists(backupPath(path, atMs))) atMs++;
    const backup = backupPath(path, atMs);
    await rename(path, backup);
    const next = await open(path, "a+", mode & 0o777).catch(async (error: unknown) => {
      await rename(backup, path).catch(() => undefined);
      throw error;
    });
    const last = this.#file;
    this.#file = next;
    this.#size = 0;
    this.#clean();
    await last.close();
  }

  #clean(): void {
    const { path, logger } = this.#options;
    this.#cleaning = this.#cleaning
      .then(() => cleanBackups(this.#options))
      .catch((error: unknown) => logger.error(error, "Rotated audit logs cannot be cleaned up", { path }));
  }
}

/** The rest of the texts behind their first bytes. */
function without(texts: readonly Buffer[], bytes: number): readonly Buffer[] {
  let skip = bytes;
  let first = 0;
  for (; first < texts.length; first++) {
    const { length } = texts[first] as Buffer;
    if (length > skip) break;
    skip -= length;
  }
  return texts.slice(first).map((text, i) => (i === 0 ? text.subarray(skip) : text));
}

const exists = async (path: string): Promise<boolean> =>
  (await Promise.all([path, `${path}.gz`].map((file) => stat(file).then(Boolean, () => false)))).includes(true);

/**
 * Ends a line that is incomplete because the process was killed, so that the next line does not continue it. Returns the size of the
 * file.
 */
async function lineStart(file: FileHandle): Promise<number> {
  const { size } = await file.stat();
  if (size === 0) return 0;
  const last = Buffer.alloc(1);
  await file.read(last, 0, 1, size - 1);
  if (last.toString() === "\n") return size;
  await file.write("\n");
  return size + 1;
}
