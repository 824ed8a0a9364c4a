import { deliver } from "../deliver.ts";
import { isStoreError, StoreError } from "../errors.ts";
import { asRevision, type Revision } from "../revision.ts";
import type { Change, ChangeSink, Subscription, WatchBatch } from "../store.ts";
import type { Plain, ValueTransformer } from "./transformer.ts";

/**
 * Decrypts the values of changes. The result is a promise only if another process must decrypt a data key.
 *
 * @throws StoreError
 */
export function decryptChanges(
  changes: readonly Change[],
  transformer: ValueTransformer,
): readonly Change[] | Promise<readonly Change[]> {
  let waits = false;
  const plain = changes.map((change) => {
    if (change.type === "delete") return change;
    const value = transformer.fromStorage(change.value, change.key);
    if (!(value instanceof Promise)) return withValue(change, value);
    waits = true;
    return value.then((done) => withValue(change, done));
  });
  return waits ? Promise.all(plain) : (plain as Change[]);
}

function withValue(change: Change & { readonly type: "put" }, { value }: Plain): Change {
  return { ...change, value };
}

/**
 * A subscription that decrypts values, synchronously where possible. While a batch waits for a data key, later
 * batches wait behind it, and `revision` stays before it, so that order and completeness are those of the inner
 * subscription.
 */
export class DecryptingSubscription implements Subscription {
  readonly #inner: Subscription;
  readonly #transformer: ValueTransformer;
  readonly #sink: ChangeSink;
  #queue: WatchBatch[] = [];
  /** The progress to report while batches wait; undefined means that of the inner subscription. */
  #held: Revision | undefined;
  #ending: { readonly error: StoreError | undefined } | undefined;
  #waiting = new Set<() => void>();
  #ended = false;

  constructor(subscribe: (sink: ChangeSink) => Subscription, transformer: ValueTransformer, sink: ChangeSink) {
    this.#transformer = transformer;
    this.#sink = sink;
    this.#inner = subscribe({
      onBatch: (batch) => this.#take(batch),
      onEnd: (error) => {
        this.#ending = { error };
        if (this.#held === undefined) this.#end(error);
      },
    });
  }

  get revision(): Revision {
    return this.#held ?? this.#inner.revision;
  }

  whenReached(revision: Revision, callback: () => void): () => void {
    let cancelled = false;
    const done = () => {
      if (cancelled) return;
      if (this.#held === undefined || this.#ended) callback();
      else this.#waiting.add(done);
    };
    const cancel = this.#inner.whenReached(revision, done);
    return () => {
      cancelled = true;
      this.#waiting.delete(done);
      cancel();
    };
  }

  close(): void {
    if (this.#ended) return;
    this.#inner.close();
    this.#end(undefined);
  }

  #take(batch: WatchBatch): void {
    if (this.#ended) return;
    if (this.#held !== undefined) {
      this.#queue.push(batch);
      return;
    }
    try {
      const changes = decryptChanges(batch.changes, this.#transformer);
      if (!(changes instanceof Promise)) {
        deliver(this.#sink, { ...batch, changes });
        return;
      }
      const first = batch.changes[0]?.revision ?? batch.revision;
      this.#held = asRevision(Math.min(this.#inner.revision, first - 1));
      void this.#work(changes, batch.revision);
    } catch (error) {
      this.#fail(error);
    }
  }

  async #work(pending: Promise<readonly Change[]>, upTo: Revision): Promise<void> {
    try {
      let changes = await pending;
      let revision = upTo;
      for (;;) {
        if (this.#ended) return;
        deliver(this.#sink, { changes, revision });
        this.#held = revision;
        const next = this.#queue.shift();
        if (next === undefined) break;
        changes = await decryptChanges(next.changes, this.#transformer);
        revision = next.revision;
      }
    } catch (error) {
      this.#fail(error);
      return;
    }
    this.#held = undefined;
    this.#wake();
    if (this.#ending !== undefined) this.#end(this.#ending.error);
  }

  #fail(cause: unknown): void {
    if (this.#ended) return;
    // Ended first, because closing the inner subscription calls its sink.
    this.#end(isStoreError(cause) ? cause : new StoreError("Corrupt", `cannot decrypt a change: ${cause}`, { cause }));
    this.#inner.close();
  }

  #end(error: StoreError | undefined): void {
    if (this.#ended) return;
    this.#ended = true;
    // The progress stays before the changes that were not delivered, so that the next subscription starts there.
    this.#held ??= this.#inner.revision;
    this.#queue = [];
    this.#sink.onEnd(error);
    this.#wake();
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = new Set();
    for (const done of waiting) done();
  }
}
