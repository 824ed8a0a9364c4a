import type { Revision } from "./revision.ts";
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
} from "./store.ts";

/** The operation of a call, as the label `operation` of the metrics `etcd_request_*`. */
export type StoreOperation = "get" | "list" | "create" | "update" | "delete" | "count";

/** Called with the duration of each call in seconds, whether it succeeded or not. Must not throw. */
export type StoreObserver = (operation: StoreOperation, seconds: number) => void;

/** Wraps a call, for example in a span, and returns its result. */
export type AroundCall = <T>(operation: StoreOperation, call: () => Promise<T>) => Promise<T>;

/**
 * Returns a view of a store that reports the duration of its calls; watches are not measured. Closing the view does
 * not close the store.
 *
 * @param around wraps every measured call @default the call alone
 */
export function observeStore(store: Store, observe: StoreObserver, around?: AroundCall): Store {
  return new ObservedStore(store, observe, around);
}

class ObservedStore implements Store {
  readonly #store: Store;
  readonly #observe: StoreObserver;
  readonly #around: AroundCall | undefined;
  readonly engine: Store;
  readonly subscribe?: NonNullable<Store["subscribe"]>;

  constructor(store: Store, observe: StoreObserver, around: AroundCall | undefined) {
    this.#store = store;
    this.engine = store.engine ?? store;
    this.#observe = observe;
    this.#around = around;
    if (store.subscribe !== undefined) {
      const subscribe = store.subscribe.bind(store);
      this.subscribe = (prefix: string, after: Revision, sink: ChangeSink): Subscription =>
        subscribe(prefix, after, sink);
    }
  }

  get(key: string, options?: Parameters<Store["get"]>[1]): Promise<Versioned | undefined> {
    return this.#time("get", () => this.#store.get(key, options));
  }

  list(prefix: string, options?: ListOptions): Promise<Page> {
    return this.#time("list", () => this.#store.list(prefix, options));
  }

  commit(compare: readonly Compare[], ops: readonly Op[]): Promise<CommitResult> {
    const [op] = ops;
    const operation = op?.type === "delete" ? "delete" : compare[0]?.modRevision === 0 ? "create" : "update";
    return this.#time(operation, () => this.#store.commit(compare, ops));
  }

  watch(prefix: string, options: WatchOptions): AsyncIterable<WatchBatch> {
    return this.#store.watch(prefix, options);
  }

  revision(): Promise<Revision> {
    return this.#store.revision();
  }

  compact(revision: Revision): Promise<void> {
    return this.#store.compact(revision);
  }

  count(prefix: string): Promise<number> {
    return this.#time("count", () => this.#store.count(prefix));
  }

  health(signal: AbortSignal): Promise<void> {
    return this.#store.health(signal);
  }

  async writable(signal: AbortSignal): Promise<void> {
    await this.#store.writable?.(signal);
  }

  sizeBytes(): Promise<number | undefined> {
    return this.#store.sizeBytes();
  }

  async close(): Promise<void> {}

  async #time<T>(operation: StoreOperation, call: () => Promise<T>): Promise<T> {
    const start = performance.now();
    try {
      return await (this.#around === undefined ? call() : this.#around(operation, call));
    } finally {
      this.#observe(operation, (performance.now() - start) / 1000);
    }
  }
}
