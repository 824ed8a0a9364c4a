import { deliver } from "./deliver.ts";
import type { StoreError } from "./errors.ts";
import type { Revision } from "./revision.ts";
import type { Change, ChangeSink } from "./store.ts";

/** A caller of {@link ChangeHub.whenReached}. */
interface Waiter {
  readonly revision: Revision;
  readonly callback: () => void;
}

/**
 * Distributes the changes of an engine's single ordered stream to subscribers by prefix. Everything is synchronous: when
 * {@link publish} returns, every sink has received its changes, and only then does `position` (their common progress) advance.
 */
export class ChangeHub {
  #position: Revision;
  readonly #sinks = new Map<string, Set<ChangeSink>>();
  #waiters = new Set<Waiter>();

  /** @param position every change up to this revision counts as published */
  constructor(position: Revision) {
    this.#position = position;
  }

  /** Every change up to this revision has been published. */
  get position(): Revision {
    return this.#position;
  }

  /** Whether any sink is attached; without one the changes need not be built. */
  get listening(): boolean {
    return this.#sinks.size > 0;
  }

  /**
   * Delivers the changes of the revisions in (position, revision], which must be complete and in order. Each sink
   * receives them once: one that throws has possibly processed a part of them, so it is detached and ends with
   * `Compacted`, which makes its owner list again. The other sinks are not affected.
   */
  publish(changes: readonly Change[], revision: Revision): void {
    if (revision <= this.#position) return;
    const failed: [sink: ChangeSink, error: StoreError][] = [];
    this.#sinks.forEach((sinks, prefix) => {
      const own = matching(changes, prefix);
      if (own.length === 0) return;
      const batch = { changes: own, revision };
      for (const sink of sinks) {
        try {
          deliver(sink, batch);
        } catch (error) {
          failed.push([sink, error as StoreError]);
          sinks.delete(sink);
        }
      }
      if (sinks.size === 0 && this.#sinks.get(prefix) === sinks) this.#sinks.delete(prefix);
    });
    this.#position = revision;
    // After the position has advanced: an owner that subscribes again in its callback must not receive this batch.
    for (const [sink, error] of failed) sink.onEnd(error);
    for (const waiter of this.#waiters) {
      if (waiter.revision > revision) continue;
      this.#waiters.delete(waiter);
      waiter.callback();
    }
  }

  /** Attaches a sink, which then receives the changes after `position`. Returns a function that detaches it. */
  attach(prefix: string, sink: ChangeSink): () => void {
    const sinks = this.#sinks.get(prefix) ?? new Set();
    this.#sinks.set(prefix, sinks.add(sink));
    return () => {
      sinks.delete(sink);
      if (sinks.size === 0 && this.#sinks.get(prefix) === sinks) this.#sinks.delete(prefix);
    };
  }

  /** Calls `callback` once `position` has reached `revision` or the hub has ended. Returns a function that cancels it. */
  whenReached(revision: Revision, callback: () => void): () => void {
    if (revision <= this.#position) {
      callback();
      return () => {};
    }
    const waiter = { revision, callback };
    this.#waiters.add(waiter);
    return () => this.#waiters.delete(waiter);
  }

  /** Ends every sink and calls all callbacks of {@link whenReached}. */
  end(error: StoreError | undefined): void {
    const all = [...this.#sinks.values()].flatMap((sinks) => [...sinks]);
    this.#sinks.clear();
    for (const sink of all) sink.onEnd(error);
    const waiters = this.#waiters;
    this.#waiters = new Set();
    for (const { callback } of waiters) callback();
  }
}

const none: readonly Change[] = Object.freeze([]);

/** The changes under a prefix. It allocates nothing if no change matches, which is so for most prefixes. */
function matching(changes: readonly Change[], prefix: string): readonly Change[] {
  if (prefix === "") return changes;
  let own: Change[] | undefined;
  for (let i = 0; i < changes.length; i++) {
    const change = changes[i] as Change;
    if (!change.key.startsWith(prefix)) continue;
    own ??= [];
    own.push(change);
  }
  return own ?? none;
}
