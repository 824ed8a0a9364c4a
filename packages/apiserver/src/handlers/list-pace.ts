/** Bytes of objects decoded before the event loop gets its turn: some 10 ms of work. */
const decodedBytes = 512 * 1024;

/**
 * Says when work on the entries of a list has to give the event loop its turn: after so many of them, or so many bytes. Objects
 * may have one and a half million bytes each.
 */
export class ListPace {
  readonly #mostEntries: number;
  readonly #mostBytes: number;
  #entries = 0;
  #bytes = 0;

  /** @param mostBytes by default as many as are decoded in some 10 ms */
  constructor(mostEntries: number, mostBytes = decodedBytes) {
    this.#mostEntries = mostEntries;
    this.#mostBytes = mostBytes;
  }

  /** Counts an entry; true when it is time, and counting starts again. */
  isOver(bytes: number): boolean {
    this.#entries++;
    this.#bytes += bytes;
    if (this.#entries < this.#mostEntries && this.#bytes < this.#mostBytes) return false;
    this.#entries = 0;
    this.#bytes = 0;
    return true;
  }
}
