import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { dirname } from "node:path";

/** Longest content of one log entry. Longer lines are split into partial entries. */
const maxEntryBytes = 16 * 1024;
const newline = 0x0a;

/**
 * The log of a container in CRI format: `<RFC 3339 time> <stdout|stderr> <F|P> <content>`, where F is a full line and
 * P a partial one.
 */
export interface LogFile {
  /** Adds output. Lines are written when complete, or as partial entries of 16 KB. */
  write(stream: LogStream, chunk: Buffer): void;
  /** Ends a stream: an incomplete line is written as a partial entry. */
  flush(stream: LogStream): void;
  /** Opens the path again after the file was renamed (log rotation). */
  reopen(): void;
  close(): void;
}

/** Name of an output stream. */
export type LogStream = "stdout" | "stderr";

/**
 * Opens a log for appending and creates missing folders. Writes are synchronous; they only go to the page cache. A
 * client that learns from the process of some output can therefore find it in the log.
 *
 * @param path - empty for no log
 * @param now - returns ms since the epoch, with fractions
 */
export function openLogFile(path: string, now: () => number): LogFile {
  const pending = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  const pendingBytes = { stdout: 0, stderr: 0 };
  let fd = open();

  function open(): number | undefined {
    if (path === "") return undefined;
    mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
    return openSync(path, "a", 0o640);
  }

  function entry(stream: LogStream, tag: "F" | "P", content: Buffer): Buffer {
    return Buffer.concat([Buffer.from(`${timestamp(now())} ${stream} ${tag} `), content, Buffer.from("\n")]);
  }

  function take(stream: LogStream): Buffer {
    const content = Buffer.concat(pending[stream]);
    pending[stream] = [];
    pendingBytes[stream] = 0;
    return content;
  }

  function append(entries: readonly Buffer[]): void {
    if (fd === undefined || entries.length === 0) return;
    const bytes = Buffer.concat(entries);
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
  }

  return {
    write(stream, chunk) {
      const entries: Buffer[] = [];
      for (let at = 0; at < chunk.length; ) {
        const end = chunk.indexOf(newline, at);
        const room = maxEntryBytes - pendingBytes[stream];
        const stop = Math.min(end < 0 ? chunk.length : end, at + room);
        pending[stream].push(chunk.subarray(at, stop));
        pendingBytes[stream] += stop - at;
        at = stop;
        if (end === stop) {
          entries.push(entry(stream, "F", take(stream)));
          at++;
        } else if (pendingBytes[stream] === maxEntryBytes) {
          entries.push(entry(stream, "P", take(stream)));
        }
      }
      // A copy, because the reader may reuse the buffer of the chunk.
      pending[stream] = pendingBytes[stream] === 0 ? [] : [Buffer.from(Buffer.concat(pending[stream]))];
      append(entries);
    },
    flush(stream) {
      if (pendingBytes[stream] > 0) append([entry(stream, "P", take(stream))]);
    },
    reopen() {
      if (fd !== undefined) closeSync(fd);
      fd = undefined;
      fd = open();
    },
    close() {
      if (fd !== undefined) closeSync(fd);
      fd = undefined;
    },
  };
}

/** RFC 3339 in UTC with nine digits. */
function timestamp(ms: number): string {
  const whole = Math.floor(ms);
  const nanos = Math.floor((ms - whole) * 1e6);
  return new Date(whole).toISOString().replace("Z", `${String(nanos).padStart(6, "0")}Z`);
}
