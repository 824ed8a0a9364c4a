import type { CacheEntry } from "./cache-entry.ts";

/** Bytes of the first slabs of a small cache. */
const MIN_SLAB = 4 * 1024;
/** Bytes of a slab: small enough that a few old versions of objects, which retain their slab, never retain much memory. */
const MAX_SLAB = 64 * 1024;
/** Longer entries (bytes) have separate memory. */
const MAX_SHARED = 16 * 1024;
/** The fraction of a slab that must be live; below it the rest is moved and the slab is freed. */
const MIN_LIVE = 3 / 4;

interface Slab {
  readonly memory: Buffer;
  /** Entries that were placed here, including replaced ones. */
  readonly entries: CacheEntry[];
  used: number;
  live: number;
}

/**
 * Memory for the bytes of many entries: a separate allocation would cost each of them several hundred bytes and fragment the heap.
 * Bytes are written once and never overwritten, so existing views stay valid. A slab that contains mostly bytes of replaced entries is
 * emptied by moving the rest, and freed when its last view is garbage.
 */
export class Slabs {
  readonly #isLive: (entry: CacheEntry) => boolean;
  readonly #slabs = new Map<Buffer, Slab>();
  #current: Slab | undefined;
  #live = 0;

  /** @param isLive whether the entry has not been replaced; {@link release} is called for replaced ones */
  constructor(isLive: (entry: CacheEntry) => boolean) {
    this.#isLive = isLive;
  }

  /** The bytes of live entries in slabs, and of all slabs. */
  get sizes(): { readonly live: number; readonly allocated: number } {
    let allocated = 0;
    for (const { memory } of this.#slabs.values()) allocated += memory.length;
    return { live: this.#live, allocated };
  }

  /** Stores the bytes of a live entry. */
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

  /** Marks the entry as no longer live; existing references to it can still be read. */
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
    // An eighth of the live bytes, so that unused space stays in proportion to them.
    const wanted = Math.max(MIN_SLAB, Math.min(MAX_SLAB, this.#live >> 3), length);
    const slab: Slab = { memory: Buffer.allocUnsafeSlow(wanted), entries: [], used: 0, live: 0 };
    this.#slabs.set(slab.memory, slab);
    this.#current = slab;
    // Entries may have been replaced while the slab was being filled.
    if (current !== undefined && current.live < current.used * MIN_LIVE) this.#empty(current);
    // Moved entries have used space, so there may be too little left.
    return this.#slabFor(length);
  }
}

/** Bytes by which the allocation of a buffer may exceed the buffer. */
const SLACK_BYTES = 64;

/**
 * Returns the buffer if it does not share its memory, otherwise a copy: a buffer that is kept for long must not retain the network
 * chunk of which it is a part.
 */
function retained(buffer: Buffer): Buffer {
  if (buffer.buffer.byteLength - buffer.length <= SLACK_BYTES) return buffer;
  const copy = Buffer.allocUnsafeSlow(buffer.length);
  buffer.copy(copy);
  return copy;
}
