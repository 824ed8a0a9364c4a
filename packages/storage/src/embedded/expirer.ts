import type { Clock, Logger, Timer } from "@orchernetes/kernel";
import { asRevision } from "../revision.ts";
import type { Tables } from "./database.ts";
import { readExpiryKey, readPosition } from "./record.ts";
import type { Writer } from "./writer.ts";

/** How often expired keys are looked for; also how late an expiry can be. */
const TICK_MS = 500;
/** Expired keys that are deleted per turn of the event loop. */
const CHUNK = 500;

/** Deletes keys whose time to live is over, by ordinary commits: watchers see ordinary deletes. */
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
      if (!this.#stopped) this.#logger.warn("Expiry of keys failed; it is tried again", { err: String(error) });
    }
    if (!this.#stopped) this.#schedule();
  }

  /** Deletes one chunk; gives its size. */
  async #expire(): Promise<number> {
    const due: Promise<unknown>[] = [];
    const now = this.#clock.nowMs();
    for (const { key: row, value } of this.#tables.ttl.getRange({ limit: CHUNK })) {
      const { expiresAtMs, key } = readExpiryKey(row);
      if (expiresAtMs > now) break;
      // Written again since: the condition fails, and only the stale row goes.
      const modRevision = asRevision(readPosition(value).revision);
      due.push(this.#writer.commit([{ key, modRevision }], [{ type: "delete", key }], Buffer.from(row)));
    }
    await Promise.all(due);
    return due.length;
  }
}
