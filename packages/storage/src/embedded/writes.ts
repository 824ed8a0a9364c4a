import type { RootDatabase } from "lmdb";

/**
 * The promises of one transaction's table writes. lmdb gives many writes the same promise, but not always: each distinct one
 * has to be waited for, and none may reject unheard when the transaction fails.
 */
export class Writes {
  readonly #promises: Promise<unknown>[] = [];
  #last: Promise<unknown> | undefined;

  constructor(root: RootDatabase<Buffer, string>) {
    // lmdb makes one more promise, for the start of its batch, which it hands to nobody; its turn is before this one.
    setImmediate(() => root.committed.then(ignore, ignore));
  }

  add(written: Promise<unknown>): void {
    if (written === this.#last) return;
    this.#last = written;
    written.catch(ignore);
    this.#promises.push(written);
  }

  /** Resolves when all are durable; rejects if the transaction failed, in which case none is there. */
  async durable(): Promise<void> {
    await Promise.all(this.#promises);
  }
}

function ignore(): void {}
