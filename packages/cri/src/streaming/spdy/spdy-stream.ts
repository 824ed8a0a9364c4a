import { Duplex } from "node:stream";
import type { SpdyHeaders } from "./header-block.ts";

/** The operations of a connection that a stream uses. */
export interface StreamPort {
  send(data: Buffer, fin: boolean): Promise<void>;
  reset(): void;
  /** The reader has taken `bytes` of received data. */
  consumed(bytes: number): void;
}

/**
 * One stream of a SPDY connection. Ending the writable side sends FIN. Destroying it before both sides have ended
 * sends RST_STREAM.
 *
 * A reset by the peer ends the readable side after the data that has arrived, discards later writes, and closes the
 * stream: stock peers reset all streams at the end of a session, so a reset is not an error. A lost connection ends the readable side
 * after the data that has arrived; if there is none, it destroys the stream with an error with code `ECONNRESET`.
 */
export class SpdyStream extends Duplex {
  readonly id: number;
  readonly headers: SpdyHeaders;
  readonly #port: StreamPort;
  #resume: (() => void) | undefined;
  #remoteReset = false;
  #remoteEnded = false;

  constructor(id: number, headers: SpdyHeaders, port: StreamPort) {
    super({ allowHalfOpen: true, autoDestroy: true });
    this.id = id;
    this.headers = headers;
    this.#port = port;
  }

  /** Accepts data from the peer. Resolves when there is room for more. */
  async receive(data: Buffer, fin: boolean): Promise<void> {
    if (this.destroyed || this.#remoteEnded || this.#remoteReset) {
      this.#port.consumed(data.length);
      return;
    }
    const room = data.length === 0 || this.push(data);
    if (fin) {
      this.#remoteEnded = true;
      this.push(null);
    }
    if (!room && !fin) {
      await new Promise<void>((resolve) => {
        this.#resume = resolve;
      });
    }
    this.#port.consumed(data.length);
  }

  /** Whether the peer has reset the stream. */
  get isReset(): boolean {
    return this.#remoteReset;
  }

  /** Handles a reset by the peer. */
  remoteReset(): void {
    if (this.destroyed || this.#remoteReset) return;
    this.#remoteReset = true;
    if (this.readableEnded) {
      this.destroy();
      return;
    }
    this.once("end", () => this.destroy());
    if (!this.#remoteEnded) this.push(null);
  }

  /** Ends the stream because the connection is closed. */
  fail(error: Error): void {
    // A stream that was reset already ends when its reader has taken the rest.
    if (this.#remoteReset) return;
    this.#remoteReset = true;
    if (this.readableEnded && this.writableFinished) return;
    if (!this.readableEnded && (this.#remoteEnded || this.readableLength > 0)) {
      // A reader that is slower than the connection gets what has arrived. Runtimes close the connection right behind the outcome of a
      // command, without an end of its stream.
      this.once("end", () => this.destroy());
      if (!this.#remoteEnded) this.push(null);
      return;
    }
    // Without a listener, the error would end the process; the reader sees the end of the stream anyway.
    this.on("error", () => {});
    this.destroy(error);
  }

  override _read(): void {
    this.#resume?.();
    this.#resume = undefined;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, callback: (error?: Error | null) => void): void {
    if (this.#remoteReset) callback();
    else this.#port.send(chunk, false).then(() => callback(), callback);
  }

  override _final(callback: (error?: Error | null) => void): void {
    if (this.#remoteReset) callback();
    else this.#port.send(Buffer.alloc(0), true).then(() => callback(), callback);
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#resume?.();
    this.#resume = undefined;
    if (!this.#remoteReset && !(this.readableEnded && this.writableFinished)) this.#port.reset();
    callback(error);
  }
}
