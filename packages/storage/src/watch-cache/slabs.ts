import type { CacheEntry } from "./cache-entry.ts";
import { retained } from "./retained.ts";

const MIN_SLAB = 4 * 1024;
/** Small enough that a few old versions of objects, which hold the slab they lie in, never hold much. */
const MAX_SLAB = 64 * 1024;
/** What is longer has memory of its own. */
const MAX_SHARED = 16 * 1024;
/** Of what a slab holds, the part that has to be of use. */
const MIN_LIVE = 3 / 4;

interface Slab {
  readonly memory: Buffer;
  /** Those placed here, replaced ones among them. */
  readonly entries: CacheEntry[];
  used: number;
  live: number;
}

/**
 * Memory for the bytes of many entries: an allocation of its own costs each of them several hundred bytes and leaves holes
 * when it goes. Bytes are written once and never overwritten, so whoever holds a view of them may go on reading; a slab that
 * has mostly bytes of replaced entries is emptied by moving the rest, and is freed when the last view of it is gone.
 */
export class Slabs {
  readonly #isLive: (entry: CacheEntry) => boolean;
  readonly #slabs = new Map<Buffer, Slab>();
  #current: Slab | undefined;
  #live = 0;

  /** @param isLive whether the entry has not been replaced; of those that were, {@link release} is told */
  constructor(isLive: (entry: CacheEntry) => boolean) {
    this.#isLive = isLive;
  }

  /** Bytes of live entries in slabs, and what the slabs take. */
  get sizes(): { readonly live: number; readonly allocated: number } {
    let allocated = 0;
    for (const { memory } of this.#slabs.values()) allocated += memory.length;
    return { live: this.#live, allocated };
  }

  /** Takes a live entry's bytes in. */
  place(entry: CacheEntry): void {
    const { length } = entry;
    if (length > MAX_SHARED) {
      entry.moveTo(retained(entry.json), 0);
      return;
    }
    const slab = this.#slabFor(length);
    entry.copyJson(slab.memory, slab.used, 0);
    entry.moveTo(slab.memory, slab.used);
    slab.entries.push(entry);
    slab.used += length;
    slab.live += length;
    this.#live += length;
  }

  /** The entry is not live any more; whoever still holds it can read it. */
  release(entry: CacheEntry): void {
    const slab = this.#slabs.get(entry.memory);
    if (slab === undefined) return;
    slab.live -= entry.length;
    this.#live -= entry.length;
    if (slab !== this.#current && slab.live < slab.used * MIN_LIVE) this.#empty(slab);
  }

  #empty(slab: Slab): void {
    this.#slabs.delete(slab.memory);
    this.#live -= slab.live;
    for (const entry of slab.entries) if (entry.memory === slab.memory && this.#isLive(entry)) this.place(entry);
  }

  #slabFor(length: number): Slab {
    const current = this.#current;
    if (current !== undefined && current.used + length <= current.memory.length) return current;
    // An eighth of what there is: the room that is not used yet stays in proportion.
    const wanted = Math.max(MIN_SLAB, Math.min(MAX_SLAB, this.#live >> 3), length);
    const slab: Slab = { memory: Buffer.allocUnsafeSlow(wanted), entries: [], used: 0, live: 0 };
    this.#slabs.set(slab.memory, slab);
    this.#current = slab;
    // What was replaced while the slab was being filled.
    if (current !== undefined && current.live < current.used * MIN_LIVE) this.#empty(current);
    // What was moved took room: there may be too little left.
    return this.#slabFor(length);
  }
}
