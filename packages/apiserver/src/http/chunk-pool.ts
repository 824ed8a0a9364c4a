/**
 * Size of the chunks in which long responses are written, in bytes: smaller ones are slower to encrypt, larger ones
 * gain nothing.
 */
export const chunkBytes = 256 * 1024;

/** Chunks kept for later responses (2 MiB); further ones are left to the collector. */
const MAX_SPARE = 8;

/**
 * Buffers for long responses, which are reused: allocating memory for each chunk costs more than what is copied into
 * it, and makes the collector run.
 */
export class ChunkPool {
  readonly #spare: Buffer[] = [];

  /** A buffer of {@link chunkBytes} with arbitrary content. */
  take(): Buffer {
    return this.#spare.pop() ?? Buffer.allocUnsafeSlow(chunkBytes);
  }

  /** Releases a buffer of {@link take}. Nobody may read or write it afterwards: the next response overwrites it. */
  give(chunk: Buffer): void {
    if (this.#spare.length < MAX_SPARE) this.#spare.push(chunk);
  }
}
