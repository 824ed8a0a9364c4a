import { type FileHandle, mkdir, open, rename, stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { Clock, Logger } from "@orchernetes/kernel";
import type { LineWriter } from "./log-backend.ts";
import { backupPath, cleanBackups } from "./rotated-files.ts";

/** Settings of a {@link RotatingFile}. */
export interface RotatingFileOptions {
  readonly path: string;
  /** Size before the file is rotated. */
  readonly maxBytes: number;
  /** Rotated files that are kept; 0: all. */
  readonly maxBackups: number;
  /** Days that rotated files are kept; 0: no limit. */
  readonly maxAgeDays: number;
  /** Whether rotated files are compressed. */
  readonly compress: boolean;
  readonly clock: Clock;
  readonly logger: Pick<Logger, "error">;
}

/** Only the owner reads records. */
const fileMode = 0o600;
/** Texts of one write. */
const mostBytesPerWrite = 4 * 1024 * 1024;

interface Waiting {
  readonly bytes: Buffer;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * A file that grows to a size and is then kept under another name. Texts that arrive during a write are written together by the next
 * one, so that many requests wait for few writes. A text is written as a whole or not at all, and never divided between two files.
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

  /** Opens the file, and makes it and its directory if they do not exist. */
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

  /** Waits for all writes, and for the compression of rotated files. */
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

  /** The texts that fit into the file, at least one. */
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
    const [only] = texts;
    const all = texts.length === 1 && only !== undefined ? only : Buffer.concat(texts);
    try {
      for (let from = 0; from < all.length; ) from += (await this.#file.write(all, from)).bytesWritten;
      this.#size += all.length;
    } catch (error) {
      // A full disk takes a part of the texts: the next ones must not continue a line.
      await this.#file.truncate(this.#size).catch(() => undefined);
      throw error;
    }
  }

  async #rotate(): Promise<void> {
    const { path, clock } = this.#options;
    const { mode } = await stat(path).catch(() => ({ mode: fileMode }));
    let atMs = clock.nowMs();
    // Two rotations within a millisecond: the second must not replace the first one's file.
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

const exists = async (path: string): Promise<boolean> =>
  (await Promise.all([path, `${path}.gz`].map((file) => stat(file).then(Boolean, () => false)))).includes(true);

/**
 * Ends a line that a process left unfinished when it was killed: the next one must not be taken for its rest. Returns the size of the
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
