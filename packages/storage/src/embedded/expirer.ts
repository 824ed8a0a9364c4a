import type { Clock, Logger, Timer } from "@orchernetes/kernel";
import { asRevision } from "../revision.ts";
import type { Tables } from "./database.ts";
import { readExpiryKey, readPosition } from "./record.ts";
import type { Writer } from "./writer.ts";

/** Milliseconds between two searches for expired keys, and therefore the largest delay of an expiry. */
const TICK_MS = 500;
/** Expired keys that are deleted in one transaction. */
const CHUNK = 500;

/**
 * Deletes keys whose time to live has ended. It uses ordinary commits, so watchers receive ordinary deletes. After a
 * restart it continues with the table `ttl`, so keys also expire that were due while the process was down.
 */
export class Expirer {
  readonly #tables: Tables;
  readonly #writer: Writer;
  readonly #clock: Clock;
  readonly #logger: Logger;
  #timer: Timer | undefined;
  #stopped = false;

  constructor(tables: Tables, writer: Writer, clock: Clock, logger: Logger) {
    this.#tables = tables;
    this.#writer = writer;
    this.#clock = clock;
    this.#logger = logger;
    this.#schedule();
  }

  /** Ends the search; deletes in flight are finished by the writer. */
  stop(): void {
    this.#stopped = true;
    this.#timer?.clear();
  }

  #schedule(): void {
    this.#timer = this.#clock.setTimeout(() => void this.#tick(), TICK_MS).unref();
  }

  async #tick(): Promise<void> {
    try {
      while (!this.#stopped && (await this.#expire()) === CHUNK);
    } catch (error) {
      if (!this.#stopped)
        this.#logger.warn("Failed to delete expired keys; they are deleted later", { err: String(error) });
    }
    if (!this.#stopped) this.#schedule();
  }

  /** Deletes up to {@link CHUNK} keys and resolves with their number. */
  async #expire(): Promise<number> {
    const due: Promise<unknown>[] = [];
    const now = this.#clock.nowMs();
    for (const { key: row, value } of this.#tables.ttl.getRange({ limit: CHUNK })) {
      const { expiresAtMs, key } = readExpiryKey(row);
      if (expiresAtMs > now) break;
      // If the key was written again, the condition fails, and only the outdated row is removed.
      const modRevision = asRevision(readPosition(value).revision);
      due.push(this.#writer.commit([{ key, modRevision }], [{ type: "delete", key }], Buffer.from(row)));
    }
    await Promise.all(due);
    return due.length;
  }
}
