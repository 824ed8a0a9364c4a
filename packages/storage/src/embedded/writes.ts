import type { RootDatabase } from "lmdb";

/**
 * The promises of the writes of one transaction. lmdb often returns the same promise for several writes, but not
 * always: each distinct one must be awaited, and none may become an unhandled rejection when the transaction fails.
 */
export class Writes {
  readonly #promises: Promise<unknown>[] = [];
  #last: Promise<unknown> | undefined;

  constructor(root: RootDatabase<Buffer, string>) {
    // lmdb creates one more promise, for the start of its batch, which it returns to no caller and which settles before this one.
    setImmediate(() => root.committed.then(ignore, ignore));
  }

  /** Adds the promise that a write returned. */
  add(written: Promise<unknown>): void {
    if (written === this.#last) return;
    this.#last = written;
    written.catch(ignore);
    this.#promises.push(written);
  }

  /** Resolves when all writes are durable; rejects if the transaction failed, so that none of them was applied. */
  async durable(): Promise<void> {
    await Promise.all(this.#promises);
  }
}

function ignore(): void {}
