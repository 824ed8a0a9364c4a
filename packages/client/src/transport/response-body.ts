import { Readable } from "node:stream";
import type { RequestStream } from "@orchernetes/http2";

/** The body of a response over HTTP/2, as it arrives. The server may only send more when it is read. Destroying it ends the request. */
export class ResponseBody extends Readable {
  readonly #stream: RequestStream;
  /** Bytes that wait for their reader: the server is not told of them yet. */
  #held = 0;

  constructor(stream: RequestStream) {
    super();
    this.#stream = stream;
    // A body that is not read any more ends with its connection; that is nothing to report.
    this.on("error", () => undefined);
  }

  /** Adds a part. */
  add(part: Buffer): void {
    if (this.destroyed) return;
    if (this.push(part)) this.#stream.consumed(part.length);
    else this.#held += part.length;
  }

  /** Ends it. */
  complete(): void {
    this.push(null);
  }

  override _read(): void {
    const held = this.#held;
    if (held === 0) return;
    this.#held = 0;
    this.#stream.consumed(held);
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#stream.cancel();
    callback(error);
  }
}
