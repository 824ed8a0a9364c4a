import type { EventLoop } from "@orchernetes/kernel";
import type { ChangeHub } from "../change-hub.ts";
import { deliver } from "../deliver.ts";
import { compacted, isStoreError, StoreError } from "../errors.ts";
import type { Revision } from "../revision.ts";
import type { ChangeSink, Subscription } from "../store.ts";
import type { History } from "./history.ts";
import type { Reader } from "./reader.ts";

/** Log records that are read in one turn of the event loop. */
const STEP = 1000;

/** The options of a {@link LogSubscription}. */
export interface LogSubscriptionOptions {
  readonly reader: Reader;
  readonly history: History;
  readonly hub: ChangeHub;
  readonly loop: EventLoop;
  readonly prefix: string;
  readonly after: Revision;
  readonly sink: ChangeSink;
  /** @throws StoreError if the store is closed, and its tables with it */
  readonly checkOpen: () => void;
  /** Called when the subscription has joined the hub, which ends it with the store, or has ended. May be called twice. */
  readonly settled: () => void;
}

/**
 * A subscription that first reads the log up to the position of the hub, and then joins the hub. No change is missed
 * or repeated in between: the last step and the joining happen in one turn of the event loop, in which nothing is
 * published.
 */
export class LogSubscription implements Subscription {
  readonly #options: LogSubscriptionOptions;
  /** Its own progress while it reads the log; undefined once it has joined the hub, whose progress is then its own. */
  #position: Revision | undefined;
  #waiting: { readonly revision: Revision; readonly callback: () => void }[] = [];
  #detach = () => {};
  #closed = false;

  constructor(options: LogSubscriptionOptions) {
    this.#options = options;
    this.#position = options.after;
    void this.#catchUp(options.after);
  }

  get revision(): Revision {
    return this.#position ?? this.#options.hub.position;
  }

  whenReached(revision: Revision, callback: () => void): () => void {
    if (this.#closed) {
      callback();
      return () => {};
    }
    if (this.#position === undefined) return this.#options.hub.whenReached(revision, callback);
    const waiter = { revision, callback };
    this.#waiting.push(waiter);
    return () => {
      this.#waiting = this.#waiting.filter((other) => other !== waiter);
    };
  }

  close(): void {
    this.#end(undefined);
  }

  async #catchUp(after: Revision): Promise<void> {
    const { loop } = this.#options;
    // Never synchronously: the caller must have the subscription before the first batch arrives.
    await loop.nextTurn();
    let position = after;
    while (!this.#closed) {
      try {
        position = this.#step(position);
      } catch (error) {
        this.#end(
          isStoreError(error) ? error : new StoreError("Corrupt", `cannot read the log: ${error}`, { cause: error }),
        );
        return;
      }
      this.#position = position;
      if (position >= this.#options.hub.position) break;
      await loop.nextTurn();
    }
    if (!this.#closed) this.#join();
  }

  /** Delivers the changes of one step after `position`. Returns the revision up to which all changes are delivered. @throws StoreError */
  #step(position: Revision): Revision {
    const { reader, history, hub, prefix, sink, checkOpen } = this.#options;
    checkOpen();
    if (position < history.compacted) throw compacted(position, history.compacted);
    if (position >= hub.position) return position;
    const batch = reader.changes(prefix, position, hub.position, STEP);
    if (batch.changes.length > 0) deliver(sink, batch);
    return batch.revision;
  }

  #join(): void {
    const { hub, prefix, sink, settled } = this.#options;
    this.#detach = hub.attach(prefix, {
      onBatch: (batch) => sink.onBatch(batch),
      onEnd: (error) => this.#end(error),
    });
    this.#position = undefined;
    settled();
    for (const { revision, callback } of this.#waiting.splice(0)) hub.whenReached(revision, callback);
  }

  #end(error: StoreError | undefined): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#detach();
    this.#options.settled();
    this.#options.sink.onEnd(error);
    for (const { callback } of this.#waiting.splice(0)) callback();
  }
}
