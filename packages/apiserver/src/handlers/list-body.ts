import type { EventLoop } from "@orchernetes/kernel";
import type { CacheEntry } from "@orchernetes/storage";

const OPEN_OBJECT = 0x7b;
const COMMA = 0x2c;
const TAIL = Buffer.from("]}\n");
/**
 * Entries measured before the event loop gets its turn: each is in another place of memory, so that each is a cache
 * miss.
 */
const MEASURED_PER_TURN = 10_000;

/**
 * A list as plain JSON, produced chunk by chunk from the bytes of the cache. Nothing is decoded: the cache has every
 * object as the JSON that clients get, with its resourceVersion, so a list is a head, the objects with commas between
 * them, and a tail. There is never more of it in memory than the chunk that is being filled, whatever its length.
 *
 * Items of a typed list have no kind and apiVersion, and stored objects begin with them; so the copy of an object
 * starts behind this common prefix, and an opening brace is written in its place.
 */
export class ListBody {
  /** Number of bytes of the whole list, for Content-Length. */
  readonly length: number;
  readonly #head: Buffer;
  readonly #entries: readonly CacheEntry[];
  /** The prefix that items do not repeat: `{"kind":…,"apiVersion":…,` */
  readonly #prefix: Buffer;
  /** The next entry; -1 while the head is being written. */
  #index = -1;
  /** Bytes written of the part at `#index`; 0 before an entry's separator. */
  #offset = 0;

  private constructor(head: Buffer, entries: readonly CacheEntry[], prefix: Buffer, length: number) {
    this.#head = head;
    this.#entries = entries;
    this.#prefix = prefix;
    this.length = length;
  }

  /**
   * Measures the list, which takes a pass over all entries but reads none of their bytes (except once per entry for the
   * prefix).
   *
   * @param head everything up to the first item
   * @param prefix what items do not repeat of their objects, if they begin with it
   */
  static async of(loop: EventLoop, head: Buffer, entries: readonly CacheEntry[], prefix: Buffer): Promise<ListBody> {
    let length = head.length + TAIL.length + Math.max(0, entries.length - 1);
    for (const [index, entry] of entries.entries()) {
      length += entry.length - startOf(entry, prefix) + 1;
      if (index % MEASURED_PER_TURN === MEASURED_PER_TURN - 1) await loop.nextTurn();
    }
    return new ListBody(head, entries, prefix, length);
  }

  /**
   * Fills a chunk from its start and returns the number of bytes; 0 when the list is complete. Every chunk but the last
   * is filled except for a byte or two.
   */
  fill(chunk: Buffer): number {
    let used = 0;
    if (this.#index < 0) {
      used = this.#head.copy(chunk, 0, this.#offset);
      if (!this.#passed(used, this.#head.length)) return used;
    }
    for (let entry = this.#entries[this.#index]; entry !== undefined; entry = this.#entries[this.#index]) {
      if (this.#offset === 0) {
        if (used + 2 > chunk.length) return used;
        if (this.#index > 0) chunk[used++] = COMMA;
        chunk[used++] = OPEN_OBJECT;
        this.#offset = startOf(entry, this.#prefix);
      }
      const copied = entry.copyJson(chunk, used, this.#offset);
      used += copied;
      if (!this.#passed(copied, entry.length)) return used;
    }
    if (this.#index === this.#entries.length) {
      const copied = TAIL.copy(chunk, used, this.#offset);
      used += copied;
      this.#passed(copied, TAIL.length);
    }
    return used;
  }

  /** Counts written bytes; true if the part at `#index` is complete, which makes the next one current. */
  #passed(bytes: number, length: number): boolean {
    this.#offset += bytes;
    if (this.#offset < length) return false;
    this.#index++;
    this.#offset = 0;
    return true;
  }
}

/** Offset of the bytes of an object that follow the opening brace of its item. */
function startOf(entry: CacheEntry, prefix: Buffer): number {
  return Math.max(1, entry.lengthOfPrefix(prefix));
}
