import { Duplex } from "node:stream";

/** Pieces in which the bytes of a second are written, so that the flow is even. */
const piecesPerSecond = 20;

/**
 * A connection with a limit of bytes per second in each direction (`--max-connection-bytes-per-sec`, for upgraded
 * connections). Its end is the socket's end. When it is destroyed, the socket is too, but what was written before still
 * arrives.
 */
export class ThrottledSocket extends Duplex {
  readonly #socket: Duplex;
  readonly #bytesPerSecond: number;
  readonly #piece: number;
  readonly #timers = new Set<NodeJS.Timeout>();
  #unsent: Buffer | undefined;

  constructor(socket: Duplex, bytesPerSecond: number) {
    // With a high-water mark of one byte, never more than one chunk is accepted and not passed on.
    super({ allowHalfOpen: true, readableHighWaterMark: 16 * 1024, writableHighWaterMark: 1 });
    this.#socket = socket;
    this.#bytesPerSecond = bytesPerSecond;
    this.#piece = Math.max(1, Math.floor(bytesPerSecond / piecesPerSecond));
    socket.on("data", (chunk: Buffer) => {
      socket.pause();
      this.push(chunk);
      // The next chunk is read after the time that this one takes at the limit.
      this.#after(chunk.length, () => socket.resume());
    });
    socket.once("end", () => this.push(null));
    socket.once("close", () => this.destroy());
    socket.once("error", (error) => this.destroy(error));
  }

  #after(bytes: number, next: () => void): void {
    const timer = setTimeout(
      () => {
        this.#timers.delete(timer);
        next();
      },
      (bytes * 1000) / this.#bytesPerSecond,
    );
    this.#timers.add(timer);
  }

  override _read(): void {
    if (this.#timers.size === 0) this.#socket.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    const step = (rest: Buffer): void => {
      const piece = rest.subarray(0, this.#piece);
      const after = rest.subarray(piece.length);
      this.#unsent = after.length === 0 ? undefined : after;
      this.#socket.write(piece);
      this.#after(piece.length, () => (after.length === 0 ? done() : step(after)));
    };
    step(chunk);
  }

  override _final(done: () => void): void {
    this.#socket.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    for (const timer of this.#timers) clearTimeout(timer);
    if (error === null && !this.#socket.destroyed) this.#socket.end(this.#unsent, () => this.#socket.destroy());
    else this.#socket.destroy();
    done(error);
  }
}
