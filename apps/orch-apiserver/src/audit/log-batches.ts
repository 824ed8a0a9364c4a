import type { AuditEvent, AuditSink } from "@orchernetes/apiserver";
import type { Clock, Timer } from "@orchernetes/kernel";
import type { ReportLost } from "./backend.ts";
import type { LineWriter } from "./log-backend.ts";

/** How long events wait to be written together: a write for each of them would cost more than all else about it. */
const WAIT_MS = 10;
/** Lines are collected in pages of this size; a longer line has one of its own. */
const PAGE_BYTES = 256 * 1024;
/** Bytes that may wait, however few events they are. */
const MAX_BYTES = 256 * 1024 * 1024;

/** Parts of {@link LogBatches}. */
export interface LogBatchesOptions {
  /** Events that are waiting or being written; further ones are dropped. */
  readonly bufferSize: number;
  readonly writer: LineWriter;
  readonly line: (event: AuditEvent) => string;
  readonly reportLost: ReportLost;
  readonly clock: Clock;
}

interface Page {
  readonly bytes: Buffer;
  used: number;
  events: number;
}

/**
 * Batch mode of the log: writes what has arrived since the last write. A request never waits for it. The sizes of batches cannot be
 * seen in a file, so there are none.
 *
 * Events become bytes at once: kept as objects until they are written, they would outlive collections of garbage, which costs more than
 * all the rest.
 */
export class LogBatches implements AuditSink {
  readonly #options: LogBatchesOptions;
  /** The last one is being filled. */
  #pages: Page[] = [];
  /** A page that has been written, for use again. */
  #spare: Buffer | undefined;
  #events = 0;
  #bytes = 0;
  #timer: Timer | undefined;
  #writing: Promise<void> | undefined;
  #closed = false;

  constructor(options: LogBatchesOptions) {
    this.#options = options;
  }

  process(event: AuditEvent): boolean {
    const { bufferSize, line, reportLost } = this.#options;
    if (this.#closed) reportLost("buffered", new Error("audit backend is shut down"), 1);
    else if (this.#events >= bufferSize || this.#bytes > MAX_BYTES)
      reportLost("buffered", new Error("audit buffer queue blocked"), 1);
    else this.#add(line(event));
    return true;
  }

  /** Writes what is waiting. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#timer?.clear();
    await this.#writing;
    await this.#write();
  }

  #add(line: string): void {
    let page = this.#pages.at(-1);
    // A code unit is at most three bytes.
    if (page === undefined || page.bytes.length - page.used < line.length * 3) {
      page = { bytes: this.#newPage(line), used: 0, events: 0 };
      this.#pages.push(page);
    }
    const written = page.bytes.write(line, page.used);
    page.used += written;
    page.events++;
    this.#events++;
    this.#bytes += written;
    this.#wait();
  }

  #newPage(line: string): Buffer {
    const spare = this.#spare;
    if (line.length * 3 > PAGE_BYTES) return Buffer.allocUnsafeSlow(Buffer.byteLength(line));
    this.#spare = undefined;
    return spare ?? Buffer.allocUnsafeSlow(PAGE_BYTES);
  }

  #wait(): void {
    if (this.#timer !== undefined || this.#writing !== undefined || this.#closed) return;
    this.#timer = this.#options.clock.setTimeout(() => {
      this.#timer = undefined;
      this.#writing = this.#write().finally(() => {
        this.#writing = undefined;
        if (this.#pages.length > 0) this.#wait();
      });
    }, WAIT_MS);
  }

  async #write(): Promise<void> {
    const { writer, reportLost } = this.#options;
    const pages = this.#pages;
    this.#pages = [];
    for (const { bytes, used, events } of pages) {
      try {
        await writer.append(bytes.subarray(0, used));
      } catch (error) {
        reportLost("log", error, events);
      }
      this.#events -= events;
      this.#bytes -= used;
      if (bytes.length === PAGE_BYTES) this.#spare = bytes;
    }
  }
}
