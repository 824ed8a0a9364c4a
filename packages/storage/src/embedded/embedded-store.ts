import { statSync } from "node:fs";
import { join } from "node:path";
import {
  type Clock,
  type EventLoop,
  type Logger,
  silentLogger,
  systemClock,
  systemEventLoop,
} from "@orchernetes/kernel";
import { ChangeHub } from "../change-hub.ts";
import { compacted, StoreError } from "../errors.ts";
import { asRevision, type Revision } from "../revision.ts";
import type {
  ChangeSink,
  CommitResult,
  Compare,
  ListOptions,
  Op,
  Page,
  Store,
  Subscription,
  Versioned,
  WatchBatch,
  WatchOptions,
} from "../store.ts";
import { checkCommit } from "./check-commit.ts";
import { Compactor } from "./compactor.ts";
import { openTables, prepareDirectory, readMark, type Tables } from "./database.ts";
import { Expirer } from "./expirer.ts";
import { History } from "./history.ts";
import { LogSubscription } from "./log-subscription.ts";
import { lockDirectory } from "./process-lock.ts";
import { pageOf, Reader } from "./reader.ts";
import { diskFull, freeSpace, storeError } from "./store-error.ts";
import { Writer } from "./writer.ts";

/** The options of {@link openEmbeddedStore}. */
export interface EmbeddedStoreOptions {
  /** The directory of the store; created if it does not exist. */
  readonly path: string;
  /** @default systemClock */
  readonly clock?: Clock;
  /** @default systemEventLoop */
  readonly loop?: EventLoop;
  readonly logger?: Logger;
  /**
   * Revisions of history beyond which the store compacts the oldest ones automatically, so that a server that is
   * never compacted does not fill its disk. @default 1_000_000
   */
  readonly historyLimit?: number;
  /** Whether a commit is on disk when it resolves. False is for tests that may lose their data. @default true */
  readonly fsync?: boolean;
  /** Limit for all values of one commit in bytes; a larger one is rejected with `TooLarge`. @default 1.5 MiB, as in etcd */
  readonly maxRequestBytes?: number;
}

/** Free bytes on the disk that a new store needs. */
const NEW_BYTES = 1 << 20;
/**
 * Items or log records that are read in one turn of the event loop, so that other requests are served during a long
 * list.
 */
const STEP = 1000;

/**
 * Opens the store in a directory, for exclusive use by this process. The first revision of a new store is 1.
 *
 * @throws StoreError `Unavailable` if another process has it open or the directory cannot be used, `NoSpace` if there
 *   is no space for a new one, `Corrupt` if its format is unknown
 */
export async function openEmbeddedStore(options: EmbeddedStoreOptions): Promise<Store> {
  prepareDirectory(options.path);
  const unlock = lockDirectory(options.path);
  try {
    await checkRoom(options.path);
    const tables = openTables({
      directory: options.path,
      fsync: options.fsync ?? true,
    });
    return new EmbeddedStore(tables, unlock, options);
  } catch (cause) {
    unlock();
    throw await storeError("open", options.path, cause);
  }
}

/** lmdb maps the files that it creates: on a full disk the first write to them would kill the process (SIGBUS). */
async function checkRoom(directory: string): Promise<void> {
  const made = ["data.mdb", "data.mdb-lock"].every((name) => {
    return (statSync(join(directory, name), { throwIfNoEntry: false })?.size ?? 0) > 0;
  });
  if (made || !(await diskFull(directory, NEW_BYTES))) return;
  throw new StoreError("NoSpace", `cannot create the embedded store "${directory}": its disk is full; ${freeSpace}`);
}

class EmbeddedStore implements Store {
  readonly #tables: Tables;
  readonly #unlock: () => void;
  readonly #options: EmbeddedStoreOptions;
  readonly #loop: EventLoop;
  readonly #history: History;
  readonly #reader: Reader;
  readonly #writer: Writer;
  readonly #compactor: Compactor;
  readonly #expirer: Expirer;
  readonly #hub: ChangeHub;
  /** Subscriptions that have not joined the hub. */
  readonly #catchingUp = new Set<LogSubscription>();
  readonly #historyLimit: number;
  #closed = false;

  constructor(tables: Tables, unlock: () => void, options: EmbeddedStoreOptions) {
    const { clock = systemClock, loop = systemEventLoop, logger = silentLogger } = options;
    this.#tables = tables;
    this.#unlock = unlock;
    this.#options = options;
    this.#loop = loop;
    // As in etcd, revision 1 is the empty store and the first commit has revision 2; 0 is not a state.
    const current = asRevision(Math.max(1, readMark(tables, "revision")));
    this.#history = new History(current, asRevision(readMark(tables, "compacted")));
    this.#hub = new ChangeHub(current);
    this.#reader = new Reader(tables, this.#history);
    this.#writer = new Writer({
      tables,
      directory: options.path,
      history: this.#history,
      now: () => clock.nowMs(),
      loop,
      logger,
      published: (changes, revision) => {
        this.#hub.publish(changes, revision);
        this.#limitHistory(logger);
      },
    });
    this.#compactor = new Compactor(tables, this.#history, this.#writer, loop);
    this.#expirer = new Expirer(tables, this.#writer, clock, logger);
    this.#historyLimit = options.historyLimit ?? 1_000_000;
  }

  async get(key: string, options: { readonly revision?: Revision } = {}): Promise<Versioned | undefined> {
    this.#open();
    return this.#reader.get(key, this.#history.readable(options.revision));
  }

  async list(prefix: string, options: ListOptions = {}): Promise<Page> {
    this.#open();
    const revision = this.#history.readable(options.revision);
    const limit = options.limit === undefined || options.limit === 0 ? Number.POSITIVE_INFINITY : options.limit;
    const items: Versioned[] = [];
    let after = options.after;
    for (;;) {
      const step = this.#reader.step(prefix, after, Math.min(STEP, limit - items.length), revision);
      for (const item of step.items) items.push(item);
      after = step.items.at(-1)?.key ?? after;
      if (!step.more) return pageOf(items, revision, false, 0);
      if (items.length >= limit) {
        const keys = await this.#countLive(prefix, after);
        return pageOf(items, revision, true, this.#reader.count(prefix, after, revision, keys));
      }
      await this.#loop.nextTurn();
      options.signal?.throwIfAborted();
      this.#open();
      // The revision may have been compacted in the meantime; then the rest of the list cannot be read.
      this.#history.readable(revision);
    }
  }

  async commit(compare: readonly Compare[], ops: readonly Op[]): Promise<CommitResult> {
    checkCommit(compare, ops, this.#options.maxRequestBytes ?? 1_572_864);
    return this.#writer.commit(compare, ops);
  }

  async *watch(prefix: string, { after, signal }: WatchOptions): AsyncGenerator<WatchBatch> {
    let position = after;
    while (!signal.aborted) {
      this.#open();
      if (position < this.#history.compacted) throw compacted(position, this.#history.compacted);
      if (this.#hub.position > position) {
        const batch = this.#reader.changes(prefix, position, this.#hub.position, STEP);
        position = batch.revision;
        yield batch;
      } else {
        await this.#reached(asRevision(position + 1), signal);
      }
    }
  }

  subscribe(prefix: string, after: Revision, sink: ChangeSink): Subscription {
    const subscription = new LogSubscription({
      reader: this.#reader,
      history: this.#history,
      hub: this.#hub,
      loop: this.#loop,
      prefix,
      after,
      sink,
      checkOpen: () => this.#open(),
      settled: () => this.#catchingUp.delete(subscription),
    });
    this.#catchingUp.add(subscription);
    return subscription;
  }

  async revision(): Promise<Revision> {
    this.#open();
    return this.#history.current;
  }

  async compact(revision: Revision): Promise<void> {
    this.#open();
    await this.#compactor.compact(revision);
  }

  async count(prefix: string): Promise<number> {
    return this.#countLive(prefix, undefined);
  }

  /** Counts in steps, because lmdb counts keys one by one. */
  async #countLive(prefix: string, after: string | undefined): Promise<number> {
    let count = 0;
    for (let from = after; ; ) {
      this.#open();
      const { keys, last } = this.#reader.countStep(prefix, from);
      count += keys;
      if (last === undefined) return count;
      from = last;
      await this.#loop.nextTurn();
    }
  }

  async health(): Promise<void> {
    this.#open();
    readMark(this.#tables, "revision");
  }

  async writable(): Promise<void> {
    this.#open();
    const { path } = this.#options;
    if (await diskFull(path)) {
      throw new StoreError("NoSpace", `the disk of the embedded store "${path}" is full; ${freeSpace}`);
    }
    // A real write, which fails if the disk cannot be written.
    await this.#writer.chore(({ meta }) => meta.put("format", meta.getBinary("format") ?? Buffer.alloc(8)));
  }

  async sizeBytes(): Promise<number | undefined> {
    return statSync(join(this.#options.path, "data.mdb"), { throwIfNoEntry: false })?.size;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    for (const subscription of this.#catchingUp) subscription.close();
    this.#expirer.stop();
    await this.#compactor.stop();
    await this.#writer.close();
    // The changes of the last commits are delivered before the watches end.
    await this.#loop.nextTurn();
    this.#hub.end(undefined);
    await this.#tables.root.close();
    this.#unlock();
  }

  #open(): void {
    if (this.#closed) throw new StoreError("Unavailable", `the embedded store "${this.#options.path}" is closed`);
  }

  #reached(revision: Revision, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        signal.removeEventListener("abort", done);
        cancel();
        resolve();
      };
      let cancel = () => {};
      signal.addEventListener("abort", done);
      cancel = this.#hub.whenReached(revision, done);
    });
  }

  #limitHistory(logger: Logger): void {
    const { current, compacted } = this.#history;
    // Compactions of less than a tenth of the history would be too frequent.
    if (this.#closed || current - compacted < this.#historyLimit * 1.1) return;
    const target = asRevision(current - this.#historyLimit);
    this.#compactor.compact(target).catch((error: unknown) => {
      if (!this.#closed)
        logger.warn("Failed to compact the store; it is tried again after the next commit", { err: String(error) });
    });
  }
}
