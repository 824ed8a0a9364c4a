import { fstatSync, writeSync } from "node:fs";

const codes: readonly (string | undefined)[] = ["ENOSPC", "EDQUOT"];

/** The options of {@link LineFile}. */
export interface LineFileOptions {
  /**
   * Writes bytes from an offset on, and returns how many.
   * @throws NodeJS.ErrnoException
   */
  readonly write: (bytes: Uint8Array, offset: number) => number;
  /** The line, with its line break, that reports how many lines are missing before it. */
  readonly notice: (dropped: number) => string;
}

/**
 * A log file whose disk may become full. Lines without space are dropped and counted; the first line that has space
 * again is written after a notice with their number. A line that was written only in part is ended before the next one.
 */
export class LineFile {
  readonly #options: LineFileOptions;
  #dropped = 0;
  /** Whether the beginning of a line was written, and there was no space for its end. */
  #isTorn = false;

  constructor(options: LineFileOptions) {
    this.#options = options;
  }

  /**
   * @param text lines, each with its line break
   * @throws NodeJS.ErrnoException for other errors than a lack of space
   */
  write(text: string): void {
    const head = `${this.#isTorn ? "\n" : ""}${this.#dropped > 0 ? this.#options.notice(this.#dropped) : ""}`;
    const [headBytes, textBytes] = [Buffer.from(head), Buffer.from(text)];
    const bytes = head === "" ? textBytes : Buffer.concat([headBytes, textBytes]);
    const written = this.#writeAll(bytes);
    if (written > 0) this.#isTorn = bytes[written - 1] !== LINE_BREAK;
    const ofText = written - headBytes.length;
    // If the head was not written completely, neither was the text, and the earlier lines are still to be reported.
    this.#dropped = ofText < 0 ? this.#dropped + countLines(textBytes) : countLines(textBytes.subarray(ofText));
  }

  /** The number of bytes for which there was space. */
  #writeAll(bytes: Uint8Array): number {
    let written = 0;
    try {
      while (written < bytes.length) written += this.#options.write(bytes, written);
    } catch (error) {
      if (!codes.includes((error as NodeJS.ErrnoException).code)) throw error;
    }
    return written;
  }
}

/**
 * Writes to standard output (1) or standard error (2). If that is a file, its disk may become full; see {@link LineFile}. Other errors
 * are not the caller's: they are uncaught exceptions, as those of a stream are.
 *
 * @param notice the line that reports how many lines are missing before it
 */
export function outputWriter(fd: 1 | 2, notice: LineFileOptions["notice"]): (text: string) => void {
  if (!isFile(fd)) return (text) => void (fd === 1 ? process.stdout : process.stderr).write(text);
  const file = new LineFile({ write: (bytes, offset) => writeSync(fd, bytes, offset), notice });
  return (text) => {
    try {
      file.write(text);
    } catch (error) {
      process.nextTick(() => {
        throw error;
      });
    }
  };
}

const LINE_BREAK = 0x0a;

const countLines = (bytes: Uint8Array): number => bytes.reduce((sum, byte) => (byte === LINE_BREAK ? sum + 1 : sum), 0);

function isFile(fd: number): boolean {
  try {
    return fstatSync(fd).isFile();
  } catch {
    return false;
  }
}
