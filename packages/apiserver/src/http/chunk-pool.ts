/** Size of the pieces in which long answers are written: fewer are slower to encrypt, more gain nothing. */
export const chunkBytes = 256 * 1024;

/** Chunks kept for the next response; further ones are returned to the system. */
const MAX_SPARE = 8;

/**
 * Buffers for long answers, used again and again: fresh memory for each chunk costs more than what is copied into it, and
 * makes the collector run.
 */
export class ChunkPool {
  readonly #spare: Buffer[] = [];

  /** A buffer of {@link chunkBytes} with anything in it. */
  take(): Buffer {
    return this.#spare.pop() ?? Buffer.allocUnsafeSlow(chunkBytes);
  }

  /** Releases a buffer from {@link take} that is not read any more. */
  give(chunk: Buffer): void {
    if (this.#spare.length < MAX_SPARE) this.#spare.push(chunk);
  }
}
