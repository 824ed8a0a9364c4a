import type { CacheEvent } from "@orchernetes/storage";

interface Batch {
  readonly events: readonly CacheEvent[];
  readonly bytes: Buffer;
}

/**
 * The last batch of events joined for each form of a stream. Watchers of a crowd with the same selection gather the very
 * same events, so that one buffer serves them all.
 */
export class SharedBatches {
  readonly #last = new Map<string, Batch>();

  /** The bytes of the events, joined now unless the last batch of this form had the same ones. */
  bytes(form: string, events: readonly CacheEvent[], join: () => Buffer): Buffer {
    const last = this.#last.get(form);
    if (last !== undefined && sameEvents(last.events, events)) return last.bytes;
    const bytes = join();
    this.#last.set(form, { events: [...events], bytes });
    return bytes;
  }

  /** Drops what is kept. */
  clear(): void {
    this.#last.clear();
  }
}

function sameEvents(one: readonly CacheEvent[], other: readonly CacheEvent[]): boolean {
  return one.length === other.length && one.every((event, index) => event === other[index]);
}
