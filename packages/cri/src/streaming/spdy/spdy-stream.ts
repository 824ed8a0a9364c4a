import { Duplex } from "node:stream";
import type { SpdyHeaders } from "./header-block.ts";

/** The parts of a connection that a stream uses. */
export interface StreamPort {
  send(data: Buffer, fin: boolean): Promise<void>;
  reset(): void;
  /** `bytes` of received data were taken by the reader. */
  consumed(bytes: number): void;
}

/**
 * One stream of a SPDY connection. Ending the writable side sends FIN; destroying it before both sides ended sends
 * RST_STREAM. A reset by the peer ends the readable side after what has arrived, drops what is written from then on, and
 * closes the stream: stock peers reset all streams to say goodbye. A lost connection destroys it with an error of code
 * `ECONNRESET`.
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

  /** Takes data of the peer; resolves when more may come. */
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

  /** Whether the peer reset the stream. */
  get isReset(): boolean {
    return this.#remoteReset;
  }

  /** The peer reset the stream. */
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

  /** Ends the stream because the connection was closed. */
  fail(error: Error): void {
    // A stream that was reset before ends as its reader goes on.
    if (this.#remoteReset) return;
    this.#remoteReset = true;
    if (this.readableEnded && this.writableFinished) return;
    // Nobody may be listening any more, and a reset is not the fault of the program.
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
