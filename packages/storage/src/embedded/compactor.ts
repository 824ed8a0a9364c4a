import type { EventLoop } from "@orchernetes/kernel";
import { futureRevision } from "../errors.ts";
import { asRevision, type Revision } from "../revision.ts";
import { markBytes, readMark, type Tables } from "./database.ts";
import type { History } from "./history.ts";
import { positionKey, readPointer, readPosition, readRecord } from "./record.ts";
import type { Writer } from "./writer.ts";
import { Writes } from "./writes.ts";

/** Log records read in one transaction, which takes one or two milliseconds of the event loop. */
const CHUNK = 500;

/**
 * Deletes history. First the mark `compacted` is made durable, after which reads of older revisions are rejected.
 * Then the log between the mark `scrubbed` and the mark `compacted` is read once, in chunks: each record names the
 * version that it replaced, which is deleted, and tombstones are deleted as well. What a crash prevents from being
 * deleted is deleted by the next compaction, because `scrubbed` advances in the same transaction as the deletions.
 */
export class Compactor {
  readonly #tables: Tables;
  readonly #history: History;
  readonly #writer: Writer;
  readonly #loop: EventLoop;
  #running: Promise<void> | undefined;
  #stopped = false;

  constructor(tables: Tables, history: History, writer: Writer, loop: EventLoop) {
    this.#tables = tables;
    this.#history = history;
    this.#writer = writer;
    this.#loop = loop;
  }

  /**
   * Resolves when the history before `revision` is deleted, or the store is being closed.
   *
   * @throws StoreError `FutureRevision`, or the error of the transaction
   */
  async compact(revision: Revision): Promise<void> {
    if (revision > this.#history.current) throw futureRevision(revision, this.#history.current);
    if (revision > this.#history.compacted) {
      await this.#writer.chore(({ meta }) => meta.put("compacted", markBytes(revision)));
      this.#history.compacted = asRevision(Math.max(revision, this.#history.compacted));
    }
    // One walk at a time: a caller with a later mark waits for the current walk and then starts its own.
    while (!this.#stopped && readMark(this.#tables, "scrubbed") < revision) {
      this.#running ??= this.#scrub(this.#history.compacted).finally(() => {
        this.#running = undefined;
      });
      await this.#running;
    }
  }

  /** Ends the walk after its current chunk. The next compaction, possibly of another process, continues it. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running?.catch(() => {});
  }

  async #scrub(upTo: Revision): Promise<void> {
    let start = positionKey({ revision: readMark(this.#tables, "scrubbed") + 1, index: 0 });
    for (let next: Buffer | undefined = start; next !== undefined; start = next) {
      next = await this.#chunk(start, upTo);
      if (next === undefined || this.#stopped) return;
      await this.#loop.nextTurn();
    }
  }

  /** Deletes history in one chunk. Resolves with the position at which the next one starts, or undefined after the last one. */
  async #chunk(start: Buffer, upTo: Revision): Promise<Buffer | undefined> {
    let next: Buffer | undefined;
    await this.#writer.chore(({ root, log, dead, meta }) => {
      const writes = new Writes(root);
      let seen = 0;
      for (const { key, value } of log.getRange({ start })) {
        const position = readPosition(key);
        if (position.revision > upTo) break;
        if (seen++ === CHUNK) {
          next = Buffer.from(key);
          break;
        }
        const record = readRecord(value);
        if (record.previous.revision > 0) writes.add(log.remove(positionKey(record.previous)));
        if (record.type === "put") continue;
        writes.add(log.remove(Buffer.from(key)));
        // The key may have been created and deleted again since: then `dead` points to the newer tombstone.
        const tombstone = dead.getBinary(record.key);
        if (tombstone === undefined || readPointer(tombstone).revision !== position.revision) continue;
        writes.add(dead.remove(record.key));
      }
      const scrubbed = next === undefined ? upTo : readPosition(next).revision - 1;
      writes.add(meta.put("scrubbed", markBytes(scrubbed)));
      return writes.durable();
    });
    return next;
  }
}
