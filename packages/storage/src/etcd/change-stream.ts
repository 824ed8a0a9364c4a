import { Range } from "etcd3/lib/range.js";
import { EventType } from "etcd3/lib/rpc.js";
import { compacted, StoreError } from "../errors.ts";
import { asRevision, type Revision } from "../revision.ts";
import type { Change } from "../store.ts";
import type { KeySpace } from "./key-space.ts";
import type { EtcdTransport, WatchCall, WatchEvent, WatchResponse } from "./transport.ts";

const EVERYTHING = Range.prefix("");

/** The callbacks of a {@link ChangeStream}. */
export interface ChangeStreamSink {
  /** Called with complete revisions, in order and without gaps, up to `revision`. */
  onChanges(changes: readonly Change[], revision: Revision): void;
  /** The last call, unless closed by its owner. */
  onEnd(error: StoreError): void;
}

/**
 * One etcd watch over the whole key space. Each revision of the store is a change of some key, so the revision of the
 * last change is the progress of the stream. etcd's progress notifications are not used: before 3.4.25 and 3.5.8 they
 * can overtake changes.
 */
export class ChangeStream {
  readonly #after: Revision;
  readonly #keys: KeySpace;
  readonly #sink: ChangeStreamSink;
  readonly #call: WatchCall;
  /** Events of a response that etcd sent in fragments. */
  #fragments: WatchEvent[] = [];
  #position: Revision;
  #ended = false;

  /**
   * @param keys changes of keys outside of it are not reported, but advance the progress
   * @param after changes with a later revision are delivered
   */
  constructor(transport: Pick<EtcdTransport, "watch">, keys: KeySpace, after: Revision, sink: ChangeStreamSink) {
    this.#after = after;
    this.#keys = keys;
    this.#sink = sink;
    this.#position = after;
    this.#call = transport.watch(
      { key: EVERYTHING.start, range_end: EVERYTHING.end, start_revision: after + 1, fragment: true },
      { onResponse: (response) => this.#receive(response), onEnd: (error) => this.#end(error) },
    );
  }

  /** Idempotent; the sink is not called again. */
  close(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#call.cancel();
  }

  /** Collects the fragments of a revision: a change must not be delivered before the others of its transaction. */
  #receive(response: WatchResponse): void {
    if (this.#ended) return;
    if (response.canceled) {
      this.#call.cancel();
      this.#end(this.#cancelled(response));
      return;
    }
    for (const event of response.events) this.#fragments.push(event);
    if (response.fragment || this.#fragments.length === 0) return;
    const events = this.#fragments;
    this.#fragments = [];
    const changes: Change[] = [];
    for (const event of events) {
      const revision = asRevision(Number(event.kv.mod_revision));
      if (revision > this.#position) this.#position = revision;
      const change = this.#changeOf(event, revision);
      if (change !== undefined) changes.push(change);
    }
    this.#sink.onChanges(changes, this.#position);
  }

  #changeOf({ type, kv }: WatchEvent, revision: Revision): Change | undefined {
    const key = this.#keys.key(kv.key.toString("utf8"));
    if (key === undefined) return undefined;
    if (type === EventType.Delete) return { type: "delete", key, revision };
    return { type: "put", key, value: kv.value, revision, created: kv.create_revision === kv.mod_revision };
  }

  #cancelled({ compact_revision, cancel_reason }: WatchResponse): StoreError {
    const compactRevision = Number(compact_revision);
    if (compactRevision !== 0) return compacted(this.#after, asRevision(compactRevision));
    return new StoreError("Unavailable", `etcd: the watch was cancelled: ${cancel_reason}`);
  }

  #end(error: StoreError): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#sink.onEnd(error);
  }
}
