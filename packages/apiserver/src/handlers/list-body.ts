import type { EventLoop } from "@orchernetes/kernel";
import type { CacheEntry } from "@orchernetes/storage";

const OPEN_OBJECT = 0x7b;
const COMMA = 0x2c;
const TAIL = Buffer.from("]}\n");
/** Entries measured before the event loop gets its turn: each is somewhere else in memory. */
const MEASURED_PER_TURN = 10_000;

/**
 * A list as plain JSON, piece by piece: the cache's bytes, one object after the other. Nothing is decoded, and there is
 * never more of it than the chunk being filled.
 */
export class ListBody {
  /** How many bytes there are in all. */
  readonly length: number;
  readonly #head: Buffer;
  readonly #entries: readonly CacheEntry[];
  /** What items do not repeat: `{"kind":…,"apiVersion":…,` */
  readonly #prefix: Buffer;
  /** The next entry; -1 while the head is being written. */
  #index = -1;
  /** How many bytes of what is at `#index` have been written; 0 before an entry's separator. */
  #offset = 0;

  private constructor(head: Buffer, entries: readonly CacheEntry[], prefix: Buffer, length: number) {
    this.#head = head;
    this.#entries = entries;
    this.#prefix = prefix;
    this.length = length;
  }

  /**
   * Measures the list.
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

  /** Fills a chunk from its start, nearly to its end unless it is the last; gives the number of bytes, 0 when all is done. */
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

  /** Notes that bytes were written; whether what is at `#index` is complete. */
  #passed(bytes: number, length: number): boolean {
    this.#offset += bytes;
    if (this.#offset < length) return false;
    this.#index++;
    this.#offset = 0;
    return true;
  }
}

/** Where the bytes begin that an item has after its opening brace. */
function startOf(entry: CacheEntry, prefix: Buffer): number {
  return Math.max(1, entry.lengthOfPrefix(prefix));
}
