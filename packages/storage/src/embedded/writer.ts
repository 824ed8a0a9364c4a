import type { EventLoop, Logger } from "@orchernetes/kernel";
import { StoreError } from "../errors.ts";
import { asRevision, type Revision } from "../revision.ts";
import type { Change, CommitResult, Compare, Op } from "../store.ts";
import { Batch } from "./batch.ts";
import type { Tables } from "./database.ts";
import type { History } from "./history.ts";
import { storeError } from "./store-error.ts";
import { Writes } from "./writes.ts";

/** The largest number of commits in one transaction. */
const MAX_BATCH = 4096;
/** Size of their values in bytes at which a transaction accepts no more commits. */
const MAX_BATCH_BYTES = 32 << 20;

/** A commit that waits for its transaction. */
interface Request {
  readonly compare: readonly Compare[];
  readonly ops: readonly Op[];
  /** A row of `ttl` that this commit removes, also if its condition does not hold. */
  readonly expired: Buffer | undefined;
  readonly bytes: number;
  readonly resolve: (result: CommitResult) => void;
  readonly reject: (error: StoreError) => void;
}

/** Maintenance, such as a step of a compaction, which runs in a separate transaction between those of commits. */
interface Chore {
  readonly run: (tables: Tables) => Promise<unknown> | undefined;
  readonly resolve: () => void;
  readonly reject: (error: StoreError) => void;
}

/** The options of a {@link Writer}. */
export interface WriterOptions {
  readonly tables: Tables;
  /** Directory of the store, for error messages. */
  readonly directory: string;
  readonly history: History;
  readonly now: () => number;
  readonly loop: EventLoop;
  readonly logger: Logger;
  /** Called after the commits of a transaction have resolved, in order. */
  readonly published: (changes: readonly Change[], revision: Revision) => void;
}

/**
 * Group commit. One transaction is in flight at a time; commits that arrive in the meantime are checked and applied
 * in the next one, in order of arrival and each at its own revision. So one fsync, which dominates the cost of a
 * commit, serves all commits that wait for it. A commit resolves when its transaction is durable. A transaction that
 * fails changes nothing, and all its commits reject with the reason.
 */
export class Writer {
  readonly #options: WriterOptions;
  #queue: Request[] = [];
  #chores: Chore[] = [];
  #running = false;
  #closed = false;
  #idle: (() => void)[] = [];

  constructor(options: WriterOptions) {
    this.#options = options;
  }

  /** @param expired a row of `ttl` to remove in the same transaction, also in case of a conflict */
  commit(compare: readonly Compare[], ops: readonly Op[], expired?: Buffer): Promise<CommitResult> {
    if (this.#closed) return Promise.reject(closed());
    let bytes = 0;
    for (const op of ops) if (op.type === "put") bytes += op.value.length;
    return new Promise((resolve, reject) => {
      this.#queue.push({ compare, ops, expired, bytes, resolve, reject });
      this.#start();
    });
  }

  /**
   * Runs `run`, which returns the promise of its last write, in a separate transaction.
   *
   * @throws StoreError
   */
  chore(run: (tables: Tables) => Promise<unknown> | undefined): Promise<void> {
    if (this.#closed) return Promise.reject(closed());
    return new Promise((resolve, reject) => {
      this.#chores.push({ run, resolve, reject });
      this.#start();
    });
  }

  /** Resolves when all earlier commits and chores have settled; later ones are rejected with `Unavailable`. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#running) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  #start(): void {
    if (this.#running) return;
    this.#running = true;
    // Commits of the same turn of the event loop share the first transaction.
    this.#options.loop.defer(() => void this.#run());
  }

  async #run(): Promise<void> {
    while (this.#queue.length > 0 || this.#chores.length > 0) {
      if (this.#queue.length > 0) await this.#write(this.#take());
      const chore = this.#chores.shift();
      if (chore !== undefined) await this.#attend(chore);
    }
    this.#running = false;
    for (const idle of this.#idle.splice(0)) idle();
  }

  #take(): Request[] {
    let bytes = 0;
    let count = 0;
    for (const request of this.#queue) {
      if (count > 0 && (count === MAX_BATCH || bytes + request.bytes > MAX_BATCH_BYTES)) break;
      bytes += request.bytes;
      count++;
    }
    if (count === this.#queue.length) {
      const all = this.#queue;
      this.#queue = [];
      return all;
    }
    return this.#queue.splice(0, count);
  }

  async #write(requests: readonly Request[]): Promise<void> {
    const { history, loop, tables, published } = this.#options;
    const before = history.current;
    const batch = new Batch(tables, before, this.#options.now());
    const results: CommitResult[] = [];
    history.writing = true;
    try {
      for (const { compare, ops, expired } of requests) {
        results.push(batch.apply(compare, ops));
        if (expired !== undefined) batch.forgetExpiry(expired);
      }
      await batch.durable();
    } catch (cause) {
      const error = await storeError("write to", this.#options.directory, cause);
      this.#options.logger.error(error, "A transaction of the embedded store failed", { commits: requests.length });
      for (const request of requests) request.reject(error);
      return;
    } finally {
      history.writing = false;
    }
    history.current = asRevision(batch.revision);
    for (let i = 0; i < results.length; i++) requests[i]?.resolve(results[i] as CommitResult);
    if (history.current === before) return;
    const { current } = history;
    // The callers continue first: one that has decoded the object passes its description to the watch cache before
    // the event arrives, which then need not decode it.
    loop.defer(() => published(batch.changes, current));
  }

  async #attend(chore: Chore): Promise<void> {
    const { history, tables } = this.#options;
    history.writing = true;
    try {
      const writes = new Writes(tables.root);
      const last = chore.run(tables);
      if (last !== undefined) writes.add(last);
      await writes.durable();
      chore.resolve();
    } catch (cause) {
      chore.reject(await storeError("tidy", this.#options.directory, cause));
    } finally {
      history.writing = false;
    }
  }
}

function closed(): StoreError {
  return new StoreError("Unavailable", "the embedded store is closed");
}
