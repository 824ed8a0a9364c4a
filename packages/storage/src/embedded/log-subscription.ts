import type { EventLoop } from "@orchernetes/kernel";
import type { ChangeHub } from "../change-hub.ts";
import { compacted } from "../errors.ts";
import type { ChangeSink, Revision, Subscription } from "../store.ts";
import type { History } from "./history.ts";
import type { Reader } from "./reader.ts";

const STEP = 1000;

/** What {@link LogSubscription} needs. */
export interface LogSubscriptionOptions {
  readonly reader: Reader;
  readonly history: History;
  readonly hub: ChangeHub;
  readonly loop: EventLoop;
  readonly prefix: string;
  readonly after: Revision;
  readonly sink: ChangeSink;
}

/** A subscription which first reads the log up to the hub's position, then hangs on the hub. */
export class LogSubscription implements Subscription {
  readonly #options: LogSubscriptionOptions;
  /** Its own progress while it reads the log; undefined once it hangs on the hub, whose progress is then its own. */
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
    if (this.#position === undefined) return this.#options.hub.whenReached(revision, callback);
    const waiter = { revision, callback };
    this.#waiting.push(waiter);
    return () => {
      this.#waiting = this.#waiting.filter((other) => other !== waiter);
    };
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#detach();
    this.#options.sink.onEnd(undefined);
  }

  async #catchUp(after: Revision): Promise<void> {
    const { reader, history, hub, loop, prefix, sink } = this.#options;
    let position = after;
    // Never inside the caller's frame: it must have the subscription before the first batch comes.
    await loop.nextTurn();
    while (!this.#closed) {
      if (position < history.compacted) {
        this.#closed = true;
        sink.onEnd(compacted(position, history.compacted));
        return;
      }
      if (position >= hub.position) break;
      const batch = reader.changes(prefix, position, hub.position, STEP);
      if (batch.changes.length > 0) sink.onBatch(batch);
      position = batch.revision;
      this.#position = position;
      if (position < hub.position) await loop.nextTurn();
    }
    if (this.#closed) return;
    this.#detach = hub.attach(prefix, {
      onBatch: (batch) => sink.onBatch(batch),
      onEnd: (error) => {
        this.#closed = true;
        sink.onEnd(error);
      },
    });
    this.#position = undefined;
    for (const { revision, callback } of this.#waiting.splice(0)) hub.whenReached(revision, callback);
  }
}
