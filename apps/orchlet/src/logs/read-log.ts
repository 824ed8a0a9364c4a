import { type FileHandle, lstat } from "node:fs/promises";
import { openRegularFile } from "@orchernetes/host";
import { fixedTime, parseLogLine } from "../util/log-line.ts";

/** The requested part of a log: the parameters of `GET /containerLogs`, which are those of the API's PodLogOptions. */
export interface LogQuery {
  /** Continue until the container has terminated. */
  readonly follow: boolean;
  /** Number of entries at the end of the log; undefined for all. */
  readonly tailLines?: number | undefined;
  /** Time of the oldest entry, in milliseconds since the epoch. */
  readonly sinceMs?: number | undefined;
  /** Prefix each line with its time. */
  readonly timestamps: boolean;
  /** Maximum size of the output, in bytes. */
  readonly limitBytes?: number | undefined;
}

/** How a log is read, and where its content goes. */
export interface LogReadOptions {
  readonly query: LogQuery;
  /** Whether the container may still write; called at the end of the file. */
  readonly running: () => Promise<boolean>;
  readonly write: (chunk: Buffer) => Promise<void>;
  readonly signal: AbortSignal;
  /** Time between reads at the end of the file, in milliseconds. @default 200 */
  readonly pollMs?: number;
}

const blockBytes = 64 * 1024;
/** Longer entries are skipped: runtimes split lines into entries of 16 KiB. */
const maxEntryBytes = 1024 * 1024;

/**
 * Writes the log of a container without the runtime's framing. If the file is rotated while it is followed, it is read
 * to its end and then the new file is read.
 *
 * @throws Error with code ENOENT if there is no file; NotARegularFile; the signal's reason
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
      // Entries that are written while reading would exceed the requested number of lines.
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
      // The container may have written more between the read above and its end.
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
  /** Bytes that may still be written. */
  left: number;
  /** Offset in the file at which to stop. */
  readonly until: number;
  /** Whether the next entry begins a line of the container. */
  lineStart: boolean;
  /** Bytes of an entry whose end has not been read yet. */
  rest: Buffer;
}

/** Writes the complete entries from an offset on; returns the offset after the last byte read. */
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
    // Latin-1 keeps every byte: the output of a container may be binary, and runtimes split lines within characters.
    for (const line of data.toString("latin1", 0, end).split("\n").slice(0, -1))
      out.push(...render(line, state, options.query));
    const chunk = Buffer.concat(out);
    const cut = chunk.length > state.left ? chunk.subarray(0, state.left) : chunk;
    state.left -= cut.length;
    if (cut.length > 0) await options.write(cut);
    if (state.left <= 0) return at;
  }
}

/** The output for an entry. A line that spans several entries gets only one timestamp. */
function render(line: string, state: State, { timestamps, sinceMs }: LogQuery): readonly Buffer[] {
  const entry = parseLogLine(line);
  if (entry === undefined) return [];
  if (sinceMs !== undefined && Date.parse(entry.time) < sinceMs) return [];
  const prefix = timestamps && state.lineStart ? `${fixedTime(entry.time)} ` : "";
  state.lineStart = !entry.partial;
  return [Buffer.from(`${prefix}${entry.text}${entry.partial ? "" : "\n"}`, "latin1")];
}

/** Offset of the last `lines` entries within the first `size` bytes. An entry that is still being written does not count. */
async function tailOffset(file: FileHandle, lines: number, size: number): Promise<number> {
  if (lines <= 0) return size;
  let found = 0;
  for (let end = size; end > 0; ) {
    const start = Math.max(0, end - blockBytes);
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(end - start), 0, end - start, start);
    for (let index = bytesRead - 1; index >= 0; index--) {
      if (buffer[index] !== 0x0a) continue;
      found += 1;
      if (found > lines) return start + index + 1;
    }
    end = start;
  }
  return 0;
}

/** Whether the path now names another file than the open one: the log was rotated. */
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
