import { type FileHandle, lstat } from "node:fs/promises";
import { openRegularFile } from "@orchernetes/cri/host";
import { fixedTime, parseLogLine } from "./log-line.ts";

/** What part of a log is wanted. */
export interface LogQuery {
  /** Goes on until the container has ended. */
  readonly follow: boolean;
  /** Only this many of the last entries. */
  readonly tailLines?: number | undefined;
  /** Only what is not older, in milliseconds since the epoch. */
  readonly sinceMs?: number | undefined;
  readonly timestamps: boolean;
  /** At most this many bytes. */
  readonly limitBytes?: number | undefined;
}

export interface LogReadOptions {
  readonly query: LogQuery;
  /** Whether the container may still write; asked when the end of the file is reached. */
  readonly running: () => Promise<boolean>;
  readonly write: (chunk: Buffer) => Promise<void>;
  readonly signal: AbortSignal;
  /** How long to wait at the end of the file. @default 200 */
  readonly pollMs?: number;
}

const blockBytes = 64 * 1024;
/** Runtimes split lines into entries of 16 KiB. Longer entries are not valid log entries, and are skipped. */
const maxEntryBytes = 1024 * 1024;

/**
 * Writes the log of a container, without the runtime's framing. A file that is rotated while it is followed is read to its end, then
 * its successor.
 * @throws Error with code ENOENT when there is no file; NotARegularFile; the signal's reason
 */
export async function readLog(path: string, options: LogReadOptions): Promise<void> {
  const { query, signal } = options;
  const file = await openRegularFile(path);
  let current = file;
  try {
    const { size } = await file.stat();
    const limited = query.tailLines !== undefined && !query.follow;
    const state: State = {
      left: query.limitBytes ?? Number.POSITIVE_INFINITY,
      // Entries written meanwhile would exceed the requested number of last lines.
      until: limited ? size : Number.POSITIVE_INFINITY,
      lineStart: true,
      rest: Buffer.alloc(0),
    };
    let at = query.tailLines === undefined ? 0 : await tailOffset(file, query.tailLines, size);
    for (;;) {
      at = await copy(current, at, state, options);
      if (state.left <= 0 || !query.follow) return;
      signal.throwIfAborted();
      const alive = await options.running();
      const successor = await replaced(path, current);
      // What was written between the read and the question is still to come.
      at = await copy(current, at, state, options);
      if (state.left <= 0) return;
      if (successor) {
        const next = await openRegularFile(path);
        await current.close();
        current = next;
        at = 0;
        continue;
      }
      if (!alive) return;
      await pause(options.pollMs ?? 200, signal);
    }
  } finally {
    await current.close();
  }
}

interface State {
  left: number;
  /** Offset in the file at which to stop. */
  readonly until: number;
  lineStart: boolean;
  rest: Buffer;
}

/** Writes what there is from an offset on; answers where it ends. */
async function copy(file: FileHandle, from: number, state: State, options: LogReadOptions): Promise<number> {
  let at = from;
  for (;;) {
    options.signal.throwIfAborted();
    const wanted = Math.min(blockBytes, state.until - at);
    if (wanted <= 0) return at;
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(wanted), 0, wanted, at);
    if (bytesRead === 0) return at;
    at += bytesRead;
    const data = Buffer.concat([state.rest, buffer.subarray(0, bytesRead)]);
    const end = data.lastIndexOf(0x0a) + 1;
    state.rest = data.length - end > maxEntryBytes ? Buffer.alloc(0) : data.subarray(end);
    const out: Buffer[] = [];
    // One character a byte: what a container writes need not be text, and runtimes cut lines in the middle of characters.
    for (const line of data.toString("latin1", 0, end).split("\n").slice(0, -1))
      out.push(...render(line, state, options.query));
    const chunk = Buffer.concat(out);
    const cut = chunk.length > state.left ? chunk.subarray(0, state.left) : chunk;
    state.left -= cut.length;
    if (cut.length > 0) await options.write(cut);
    if (state.left <= 0) return at;
  }
}

function render(line: string, state: State, { timestamps, sinceMs }: LogQuery): readonly Buffer[] {
  const entry = parseLogLine(line);
  if (entry === undefined) return [];
  if (sinceMs !== undefined && Date.parse(entry.time) < sinceMs) return [];
  const prefix = timestamps && state.lineStart ? `${fixedTime(entry.time)} ` : "";
  state.lineStart = !entry.partial;
  return [Buffer.from(`${prefix}${entry.text}${entry.partial ? "" : "\n"}`, "latin1")];
}

/** Offset of the last `lines` entries within the first `size` bytes. */
async function tailOffset(file: FileHandle, lines: number, size: number): Promise<number> {
  if (lines <= 0) return size;
  let found = 0;
  for (let end = size; end > 0; ) {
    const start = Math.max(0, end - blockBytes);
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(end - start), 0, end - start, start);
    for (let index = bytesRead - 1; index >= 0; index--) {
      if (buffer[index] !== 0x0a || start + index === size - 1) continue;
      found += 1;
      if (found === lines) return start + index + 1;
    }
    end = start;
  }
  return 0;
}

async function replaced(path: string, file: FileHandle): Promise<boolean> {
  const [there, open] = await Promise.all([lstat(path).catch(() => undefined), file.stat()]);
  return there !== undefined && there.ino !== open.ino;
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", end);
      resolve();
    }, ms);
    signal.addEventListener("abort", end, { once: true });
  });
}
