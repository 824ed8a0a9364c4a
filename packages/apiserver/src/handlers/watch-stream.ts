import { ServerResponse } from "node:http";
import type { Writable } from "node:stream";
import type { HttpResponse } from "@orchernetes/kernel";

const lineEnd = Buffer.from("\r\n");

/**
 * The body of a watch. On HTTP/1.1 it writes whole chunks to the connection, framing and data in one piece: one write and
 * one TLS record where the response object would make four and hold them until the next tick.
 */
export class WatchStream {
  readonly #res: HttpResponse;
  /** Takes chunks that are framed already; undefined when the response frames them itself (HTTP/2, HTTP/1.0). */
  readonly #connection: Writable | undefined;

  /** @param res a response whose head is sent */
  constructor(res: HttpResponse) {
    this.#res = res;
    if (res instanceof ServerResponse && res.chunkedEncoding && res.socket !== null) this.#connection = res.socket;
  }

  /** Distinguishes streams that need different bytes for the same lines. */
  get framing(): "chunk" | "plain" {
    return this.#connection === undefined ? "plain" : "chunk";
  }

  /** The bytes to {@link write} for some lines. */
  frame(lines: readonly Buffer[]): Buffer {
    const [only] = lines;
    if (this.#connection === undefined) {
      return lines.length === 1 && only !== undefined ? only : Buffer.concat(lines);
    }
    const length = lines.reduce((sum, line) => sum + line.length, 0);
    return Buffer.concat([Buffer.from(`${length.toString(16)}\r\n`, "latin1"), ...lines, lineEnd]);
  }

  /** Writes framed bytes; false when the client has to catch up first: see {@link onceDrained}. */
  write(framed: Buffer): boolean {
    return (this.#connection ?? this.#res).write(framed);
  }

  /** Calls back once when the client has caught up; never if the connection ends before. */
  onceDrained(callback: () => void): void {
    (this.#connection ?? this.#res).once("drain", callback);
  }
}
