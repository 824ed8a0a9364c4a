import type { Duplex } from "node:stream";

/** Unsent bytes beyond which a server that makes us answer, and does not read the answers, loses its connection. */
const MAX_UNREAD_ANSWERS = 1 << 20;

/** Sends the frames of a connection: all of one turn of the event loop in one write. */
export class FrameOutput {
  readonly #socket: Duplex;
  readonly #flush = (): void => this.flush();
  #frames: Buffer[] = [];
  #bytes = 0;
  #isClosed = false;

  constructor(socket: Duplex) {
    this.#socket = socket;
  }

  /** Sends frames at the end of this turn, or at {@link flush}. Without effect when it is closed. */
  write(bytes: Buffer): void {
    if (this.#isClosed) return;
    this.#bytes += bytes.length;
    if (this.#frames.push(bytes) === 1) setImmediate(this.#flush);
  }

  /**
   * Sends what the server made us answer.
   *
   * @throws RangeError if the server does not read
   */
  answer(bytes: Buffer): void {
    if (this.#socket.writableLength + this.#bytes > MAX_UNREAD_ANSWERS)
      throw new RangeError("the server does not read the answers to its frames");
    this.write(bytes);
  }

  /** Sends now what was to be sent at the end of this turn. */
  flush(): void {
    const [only] = this.#frames;
    if (only === undefined || this.#isClosed) return;
    const bytes = this.#frames.length === 1 ? only : Buffer.concat(this.#frames, this.#bytes);
    this.#frames = [];
    this.#bytes = 0;
    this.#socket.write(bytes);
  }

  /** Sends what is left, and then the end of the stream. */
  end(): void {
    if (this.#isClosed) return;
    this.flush();
    this.#isClosed = true;
    this.#socket.end();
  }

  /** Sends nothing more. */
  close(): void {
    this.#isClosed = true;
    this.#frames = [];
  }
}
