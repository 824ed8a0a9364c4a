import type { AuditEvent, AuditSink } from "@orchernetes/apiserver";
import type { Clock, Timer } from "@orchernetes/kernel";
import type { ReportLost } from "./backend.ts";
import type { LineWriter } from "./log-backend.ts";

/** Time in milliseconds for which events are collected. A write wakes up another thread, which costs as much as dozens of events. */
const WAIT_MS = 50;
/** Size in bytes of the pages in which lines are collected. A longer line gets a page of its own. */
const PAGE_BYTES = 256 * 1024;
/**
 * Maximum number of written pages that are kept to be used again: as many as a busy server fills between two writes and during one. New
 * memory costs more than the text that is put into it, as the kernel clears it.
 */
const MAX_SPARE = 24;
/** Number of characters from which lines are converted to bytes. Each conversion has a price of its own, whatever its length. */
const CONVERT_CHARS = 16 * 1024;
/** Maximum number of waiting bytes, regardless of the number of events. */
const MAX_BYTES = 256 * 1024 * 1024;

/** Options of {@link LogBatches}. */
export interface LogBatchesOptions {
  /** Maximum number of events that are waiting or being written; further ones are dropped. */
  readonly bufferSize: number;
  readonly writer: LineWriter;
  /** An event's line, with a line feed. */
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
 * Events are converted to bytes soon, a dozen at a time. As objects they would survive the garbage collections of young objects until they
 * are written, which costs more than everything else here.
 */
export class LogBatches implements AuditSink {
  readonly #options: LogBatchesOptions;
  /** The pages that wait to be written; events are added to the last one. */
  #pages: Page[] = [];
  /** The lines that are not in a page yet. */
  #text = "";
  #textEvents = 0;
  /** Pages that have been written and are used again. */
  readonly #spare: Buffer[] = [];
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
    else {
      this.#text += line(event);
      this.#textEvents++;
      this.#events++;
      if (this.#text.length >= CONVERT_CHARS) this.#convert();
      if (this.#timer === undefined) this.#wait();
    }
    return true;
  }

  /** Writes the waiting events. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#timer?.clear();
    await this.#writing;
    await this.#write();
  }

  /** Moves the lines to the last page with room for all of them. */
  #convert(): void {
    const text = this.#text;
    if (text === "") return;
    let page = this.#pages.at(-1);
    if (page === undefined || !fits(text, page.bytes.length - page.used)) {
      page = { bytes: this.#newPage(text), used: 0, events: 0 };
      this.#pages.push(page);
    }
    const written = page.bytes.write(text, page.used);
    page.used += written;
    page.events += this.#textEvents;
    this.#bytes += written;
    this.#text = "";
    this.#textEvents = 0;
  }

  #newPage(text: string): Buffer {
    if (!fits(text, PAGE_BYTES)) return Buffer.allocUnsafeSlow(Buffer.byteLength(text));
    return this.#spare.pop() ?? Buffer.allocUnsafeSlow(PAGE_BYTES);
  }

  #wait(): void {
    if (this.#timer !== undefined || this.#writing !== undefined || this.#closed) return;
    this.#timer = this.#options.clock.setTimeout(() => {
      this.#timer = undefined;
      this.#writing = this.#write().finally(() => {
        this.#writing = undefined;
        if (this.#pages.length > 0 || this.#text !== "") this.#wait();
      });
    }, WAIT_MS);
  }

  async #write(): Promise<void> {
    const { writer, reportLost } = this.#options;
    this.#convert();
    const pages = this.#pages;
    this.#pages = [];
    const written = pages.map(async ({ bytes, used, events }) => {
      try {
        await writer.append(bytes.subarray(0, used));
      } catch (error) {
        reportLost("log", error, events);
      }
      this.#events -= events;
      this.#bytes -= used;
      if (bytes.length === PAGE_BYTES && this.#spare.length < MAX_SPARE) this.#spare.push(bytes);
    });
    await Promise.all(written);
  }
}

/** Whether a text has at most so many bytes. A UTF-16 code unit takes at most three bytes in UTF-8, so that few texts need to be counted. */
const fits = (text: string, bytes: number): boolean => text.length * 3 <= bytes || Buffer.byteLength(text) <= bytes;
