import type { Revision } from "../revision.ts";
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
import { DecryptingSubscription, decryptChanges } from "./decrypting-subscription.ts";
import type { Plain, ValueTransformer } from "./transformer.ts";

/**
 * Returns a view of a store that encrypts values before they are written and decrypts them after they are read. Users of the view,
 * including the watch cache, see plain text only. Closing the view does not close the store.
 */
export function encryptStore(store: Store, transformer: ValueTransformer): Store {
  return new EncryptingStore(store, transformer);
}

class EncryptingStore implements Store {
  readonly #store: Store;
  readonly #transformer: ValueTransformer;
  readonly subscribe?: NonNullable<Store["subscribe"]>;

  constructor(store: Store, transformer: ValueTransformer) {
    this.#store = store;
    this.#transformer = transformer;
    if (store.subscribe !== undefined) {
      const subscribe = store.subscribe.bind(store);
      this.subscribe = (prefix: string, after: Revision, sink: ChangeSink): Subscription =>
        new DecryptingSubscription((inner) => subscribe(prefix, after, inner), transformer, sink);
    }
  }

  async get(key: string, options?: Parameters<Store["get"]>[1]): Promise<Versioned | undefined> {
    const found = await this.#store.get(key, options);
    return found && this.#plain(found);
  }

  async list(prefix: string, options?: ListOptions): Promise<Page> {
    const page = await this.#store.list(prefix, options);
    return { ...page, items: await all(page.items.map((item) => this.#plain(item))) };
  }

  async commit(compare: readonly Compare[], ops: readonly Op[]): Promise<CommitResult> {
    const sealed: Op[] = [];
    for (const op of ops) {
      if (op.type === "delete") sealed.push(op);
      else sealed.push({ ...op, value: await this.#transformer.toStorage(op.value, op.key) });
    }
    const result = await this.#store.commit(compare, sealed);
    if (result.type === "committed") return result;
    return { ...result, current: await all(result.current.map((found) => found && this.#plain(found))) };
  }

  async *watch(prefix: string, options: WatchOptions): AsyncGenerator<WatchBatch> {
    for await (const batch of this.#store.watch(prefix, options)) {
      yield { ...batch, changes: await decryptChanges(batch.changes, this.#transformer) };
    }
  }

  revision(): Promise<Revision> {
    return this.#store.revision();
  }

  compact(revision: Revision): Promise<void> {
    return this.#store.compact(revision);
  }

  count(prefix: string): Promise<number> {
    return this.#store.count(prefix);
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

  #plain(found: Versioned): Versioned | Promise<Versioned> {
    const plain = this.#transformer.fromStorage(found.value, found.key);
    return plain instanceof Promise ? plain.then((done) => withPlain(found, done)) : withPlain(found, plain);
  }
}

function withPlain(found: Versioned, { value, stale }: Plain): Versioned {
  return stale ? { ...found, value, stale } : { ...found, value };
}

/** Stays synchronous if no value is a promise: a list of thousands of plain values should not wait for as many microtasks. */
function all<T>(values: (T | Promise<T>)[]): T[] | Promise<T[]> {
  return values.some((value) => value instanceof Promise) ? Promise.all(values) : (values as T[]);
}
