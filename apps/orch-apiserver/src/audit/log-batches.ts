import type { AuditEvent, AuditSink } from "@orchernetes/apiserver";
import type { Clock, Timer } from "@orchernetes/kernel";
import type { ReportLost } from "./backend.ts";
import type { LineWriter } from "./log-backend.ts";

/** Time in milliseconds for which events are collected. A write for each event would cost more than everything else about it. */
const WAIT_MS = 10;
/** Size in bytes of the pages in which lines are collected. A longer line gets a page of its own. */
const PAGE_BYTES = 256 * 1024;
/** Maximum number of waiting bytes, regardless of the number of events. */
const MAX_BYTES = 256 * 1024 * 1024;

/** Options of {@link LogBatches}. */
export interface LogBatchesOptions {
  /** Maximum number of events that are waiting or being written; further ones are dropped. */
  readonly bufferSize: number;
  readonly writer: LineWriter;
  readonly line: (event: AuditEvent) => string;
  readonly reportLost: ReportLost;
  readonly clock: Clock;
}

/** A buffer that lines are written into. */
interface Page {
  readonly bytes: Buffer;
  used: number;
  events: number;
}

/**
 * Mode `batch` of the log: writes the events that have arrived since the last write. Requests never wait. The sizes of batches do not
 * matter, because a file does not show them.
 *
 * Events are converted to bytes at once. As objects they would survive the garbage collections of young objects until they are written,
 * which costs more than everything else here.
 */
export class LogBatches implements AuditSink {
  readonly #options: LogBatchesOptions;
  /** The pages that wait to be written; events are added to the last one. */
  #pages: Page[] = [];
  /** A page that has been written and is used again. */
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

  /** Writes the waiting events. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#timer?.clear();
    await this.#writing;
    await this.#write();
  }

  #add(line: string): void {
    let page = this.#pages.at(-1);
    // A UTF-16 code unit takes at most three bytes in UTF-8.
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
