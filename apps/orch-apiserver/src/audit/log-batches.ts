import type { AuditEvent, AuditSink } from "@orchernetes/apiserver";
import type { Clock, Timer } from "@orchernetes/kernel";
import type { AuditBackend, ReportLost } from "./backend.ts";
import { Room } from "./room.ts";

/** How long events wait to be written together: a write for each of them would cost more than all else about it. */
const WAIT_MS = 10;

/** Parts of {@link LogBatches}. */
export interface LogBatchesOptions {
  /** Events that are waiting or being written; further ones are dropped. */
  readonly bufferSize: number;
  readonly backend: AuditBackend;
  readonly reportLost: ReportLost;
  readonly clock: Clock;
}

/**
 * Batch mode of the log: writes what has arrived since the last write. A request never waits for it. The sizes of batches cannot be
 * seen in a file, so there are none.
 */
export class LogBatches implements AuditSink {
  readonly #options: LogBatchesOptions;
  readonly #room: Room;
  #queue: AuditEvent[] = [];
  #timer: Timer | undefined;
  #writing: Promise<void> | undefined;
  #closed = false;

  constructor(options: LogBatchesOptions) {
    this.#options = options;
    this.#room = new Room(options.bufferSize);
  }

  process(event: AuditEvent): boolean {
    const { reportLost } = this.#options;
    if (this.#closed) reportLost("buffered", new Error("audit backend is shut down"), 1);
    else if (!this.#room.take(event)) reportLost("buffered", new Error("audit buffer queue blocked"), 1);
    else {
      this.#queue.push(event);
      this.#wait();
    }
    return true;
  }

  /** Writes what is waiting. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#timer?.clear();
    await this.#writing;
    await this.#write();
  }

  #wait(): void {
    if (this.#timer !== undefined || this.#writing !== undefined || this.#closed) return;
    this.#timer = this.#options.clock.setTimeout(() => {
      this.#timer = undefined;
      this.#writing = this.#write().finally(() => {
        this.#writing = undefined;
        if (this.#queue.length > 0) this.#wait();
      });
    }, WAIT_MS);
  }

  async #write(): Promise<void> {
    if (this.#queue.length === 0) return;
    const { backend, reportLost } = this.#options;
    const events = this.#queue;
    this.#queue = [];
    try {
      await backend.deliver(events);
    } catch (error) {
      reportLost(backend.name, error, events.length);
    } finally {
      this.#room.give(events);
    }
  }
}
