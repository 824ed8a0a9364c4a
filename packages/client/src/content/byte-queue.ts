/**
 * Bytes that have arrived and are not read yet. Chunks are joined only when more bytes are asked for than the first one has, so that a
 * long message which arrives in many chunks is copied once.
 */
export class ByteQueue {
  #chunks: Buffer[] = [];
  /** Where the unread bytes of the first chunk begin. */
  #from = 0;
  #length = 0;

  /** Number of unread bytes. */
  get length(): number {
    return this.#length;
  }

  push(chunk: Buffer): void {
    if (chunk.length === 0) return;
    this.#chunks.push(chunk);
    this.#length += chunk.length;
  }

  /** The next bytes, which stay in the queue: `count` of them, or all if there are fewer. They must not be changed. */
  peek(count: number): Buffer {
    const wanted = Math.min(count, this.#length);
    return this.#first(wanted).subarray(this.#from, this.#from + wanted);
  }

  /** Removes the next bytes. There must be as many. They share memory with the chunks. */
  take(count: number): Buffer {
    const bytes = this.peek(count);
    this.#from += count;
    this.#length -= count;
    if (this.#from === this.#chunks[0]?.length) {
      this.#chunks.shift();
      this.#from = 0;
    }
    return bytes;
  }

  /** The first chunk, with at least so many unread bytes. */
  #first(count: number): Buffer {
    const [first = Buffer.alloc(0)] = this.#chunks;
    if (first.length - this.#from >= count) return first;
    this.#chunks[0] = first.subarray(this.#from);
    this.#from = 0;
    const joined = Buffer.concat(this.#chunks, this.#length);
    this.#chunks = [joined];
    return joined;
  }
}
