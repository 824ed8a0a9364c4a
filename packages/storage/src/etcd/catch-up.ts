import type { ChangeHub } from "../change-hub.ts";
import { deliver } from "../deliver.ts";
import { isStoreError, type StoreError } from "../errors.ts";
import type { Revision } from "../revision.ts";
import type { Change, ChangeSink, Subscription } from "../store.ts";
import { ChangeStream } from "./change-stream.ts";
import type { KeySpace } from "./key-space.ts";
import { toStoreError } from "./store-error.ts";
import type { EtcdTransport } from "./transport.ts";

/** Milliseconds before a broken stream is opened again. */
const RETRY_MS = 200;

/** The options of a {@link CatchUp}. */
export interface CatchUpOptions {
  readonly transport: Pick<EtcdTransport, "watch">;
  readonly keys: KeySpace;
  /** Returns the current hub, which changes when the shared stream has been restarted. @throws StoreError if the store is closed */
  readonly hub: () => ChangeHub;
  /**
   * Called when it has joined the hub, which then ends it together with the store, or has ended. May be called twice.
   */
  readonly settled: () => void;
  readonly prefix: string;
  readonly after: Revision;
  readonly sink: ChangeSink;
}

/**
 * A subscription that starts behind the shared stream. It reads a separate stream until it has caught up, and then
 * joins the shared one at exactly the revision that it has reached.
 */
export class CatchUp implements Subscription {
  readonly #options: CatchUpOptions;
  /** Its own progress until it joins. */
  #position: Revision;
  #waiting: { readonly revision: Revision; readonly callback: () => void }[] = [];
  #stream: ChangeStream | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Set once it has joined. */
  #hub: ChangeHub | undefined;
  #detach = () => {};
  #closed = false;

  constructor(options: CatchUpOptions) {
    this.#options = options;
    this.#position = options.after;
    // Never synchronously: the caller must have the subscription before the first batch arrives.
    setImmediate(() => this.#advance(options.after));
  }

  get revision(): Revision {
    return this.#hub?.position ?? this.#position;
  }

  whenReached(revision: Revision, callback: () => void): () => void {
    if (this.#closed) {
      callback();
      return () => {};
    }
    if (this.#hub !== undefined) return this.#hub.whenReached(revision, callback);
    const waiter = { revision, callback };
    this.#waiting.push(waiter);
    return () => {
      this.#waiting = this.#waiting.filter((other) => other !== waiter);
    };
  }

  close(): void {
    this.#end(undefined);
  }

  /** Continues from `position`: with the hub if that is not ahead, otherwise with a separate stream. */
  #advance(position: Revision): void {
    if (this.#closed) return;
    const { transport, keys } = this.#options;
    let hub: ChangeHub;
    try {
      hub = this.#options.hub();
    } catch (error) {
      this.#end(toStoreError("subscribe", error));
      return;
    }
    if (position >= hub.position) {
      this.#join(hub, position);
      return;
    }
    this.#stream ??= new ChangeStream(transport, keys, position, {
      onChanges: (changes, revision) => {
        try {
          this.#deliver(changes, revision);
        } catch (error) {
          // The stream must not see this as its own error: it would be opened again and repeat the changes.
          this.#end(toStoreError("subscribe", error));
          return;
        }
        this.#position = revision;
        this.#advance(revision);
      },
      onEnd: (error) => this.#broken(error),
    });
  }

  #join(hub: ChangeHub, position: Revision): void {
    const { prefix, sink, settled } = this.#options;
    this.#stream?.close();
    this.#detach = hub.attach(prefix, {
      // Its own stream may have been ahead of the shared one: changes that both contain are delivered once.
      onBatch: (batch) => {
        if ((batch.changes[0]?.revision ?? 0) > position) sink.onBatch(batch);
        else
          this.#deliver(
            batch.changes.filter((change) => change.revision > position),
            batch.revision,
          );
      },
      onEnd: (error) => this.#end(error),
    });
    this.#hub = hub;
    settled();
    for (const { revision, callback } of this.#waiting.splice(0)) hub.whenReached(revision, callback);
  }

  #deliver(changes: readonly Change[], revision: Revision): void {
    const { prefix, sink } = this.#options;
    const own = changes.filter((change) => change.key.startsWith(prefix));
    if (own.length > 0) deliver(sink, { changes: own, revision });
  }

  #broken(error: StoreError): void {
    this.#stream = undefined;
    if (isStoreError(error, "Compacted")) {
      this.#end(error);
      return;
    }
    this.#timer = setTimeout(() => this.#advance(this.#position), RETRY_MS);
  }

  #end(error: StoreError | undefined): void {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#stream?.close();
    this.#detach();
    this.#options.settled();
    this.#options.sink.onEnd(error);
    for (const { callback } of this.#waiting.splice(0)) callback();
  }
}
