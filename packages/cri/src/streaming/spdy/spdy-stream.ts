import { Duplex } from "node:stream";
import type { SpdyHeaders } from "./header-block.ts";

/** What a stream needs from its connection. */
export interface StreamPort {
  send(data: Buffer, fin: boolean): Promise<void>;
  reset(): void;
  /** `bytes` of received data were taken by the reader. */
  consumed(bytes: number): void;
}

/**
 * One stream of a SPDY connection. Ending the writable side sends FIN, destroying it before both sides ended sends
 * RST_STREAM, a reset by the peer destroys it with an error of code `ECONNRESET`.
 */
export class SpdyStream extends Duplex {
  readonly id: number;
  readonly headers: SpdyHeaders;
  readonly #port: StreamPort;
  #resume: (() => void) | undefined;
  #remoteReset = false;

  constructor(id: number, headers: SpdyHeaders, port: StreamPort) {
    super({ allowHalfOpen: true, autoDestroy: true });
    this.id = id;
    this.headers = headers;
    this.#port = port;
  }

  /** Takes data of the peer; resolves when more may come. */
  async receive(data: Buffer, fin: boolean): Promise<void> {
    if (this.destroyed || this.readableEnded) {
      this.#port.consumed(data.length);
      return;
    }
    const room = data.length === 0 || this.push(data);
    if (fin) this.push(null);
    if (!room && !fin) {
      await new Promise<void>((resolve) => {
        this.#resume = resolve;
      });
    }
    this.#port.consumed(data.length);
  }

  /** The peer reset the stream, or the connection ended. */
  fail(error: Error): void {
    this.#remoteReset = true;
    if (this.readableEnded && this.writableFinished) return;
    // Nobody may be listening any more, and a reset is no fault of the program.
    this.on("error", () => {});
    this.destroy(error);
  }

  override _read(): void {
    this.#resume?.();
    this.#resume = undefined;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, callback: (error?: Error | null) => void): void {
    this.#port.send(chunk, false).then(() => callback(), callback);
  }

  override _final(callback: (error?: Error | null) => void): void {
    this.#port.send(Buffer.alloc(0), true).then(() => callback(), callback);
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#resume?.();
    this.#resume = undefined;
    if (!this.#remoteReset && !(this.readableEnded && this.writableFinished)) this.#port.reset();
    callback(error);
  }
}
