/** What the server may send on a stream or a connection before it is read (RFC 9113, section 5.2). */
export class ReceiveWindow {
  readonly #limit: number;
  /** Bytes that the server may still send. */
  #left: number;
  /** Bytes that were read, but that the server does not know of yet. */
  #consumed = 0;

  /** @param limit in bytes */
  constructor(limit: number) {
    this.#limit = limit;
    this.#left = limit;
  }

  /** Counts what the server sent; false if it was not allowed to. */
  received(bytes: number): boolean {
    this.#left -= bytes;
    return this.#left >= 0;
  }

  /**
   * Counts what was read.
   *
   * @returns the bytes of a WINDOW_UPDATE that is due, mostly none: there is one for half of the window
   */
  consumed(bytes: number): number {
    this.#consumed += bytes;
    const granted = this.#consumed;
    if (granted < this.#limit / 2) return 0;
    this.#left += granted;
    this.#consumed = 0;
    return granted;
  }
}
