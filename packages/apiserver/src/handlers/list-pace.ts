/** Bytes of objects decoded before yielding to the event loop: about 10 ms of work. */
const decodedBytes = 512 * 1024;

/**
 * Decides when work on a list yields to the event loop: after a number of entries or of bytes, whichever comes first.
 * Objects may have 200 bytes or one and a half million.
 */
export class ListPace {
  readonly #mostEntries: number;
  readonly #mostBytes: number;
  #entries = 0;
  #bytes = 0;

  /**
   * @param mostEntries by the cost of one entry in the encoding
   * @param mostBytes @default as many as are decoded in about 10 ms
   */
  constructor(mostEntries: number, mostBytes = decodedBytes) {
    this.#mostEntries = mostEntries;
    this.#mostBytes = mostBytes;
  }

  /** Counts an entry. Returns true when it is time to yield, and then starts counting from 0. */
  isOver(bytes: number): boolean {
    this.#entries++;
    this.#bytes += bytes;
    if (this.#entries < this.#mostEntries && this.#bytes < this.#mostBytes) return false;
    this.#entries = 0;
    this.#bytes = 0;
    return true;
  }
}
