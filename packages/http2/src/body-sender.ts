import { FIRST_WINDOW, MAX_WINDOW } from "./flow-control.ts";
import type { FrameOutput } from "./frame-output.ts";
import { Flag, FRAME_BYTES, FRAME_HEAD, FrameType, frameBytes, writeFrameHead } from "./frames.ts";
import type { RequestStream } from "./request-stream.ts";

const NOTHING = Buffer.alloc(0);

/** Sends requests, their bodies as far as the server's windows allow (RFC 9113, section 5.2). */
export class BodySender {
  readonly #output: FrameOutput;
  /** Bytes that may still be sent on the connection. */
  #window = FIRST_WINDOW;

  constructor(output: FrameOutput) {
    this.#output = output;
  }

  /**
   * Sends a request; nearly all are small enough for one allocation.
   *
   * @param body a part of the body; undefined if there is none yet
   */
  begin(stream: RequestStream, block: Buffer, body: Buffer | undefined): void {
    if (block.length > FRAME_BYTES || !this.#fits(stream, body)) {
      this.#writeBlock(stream, block, body === undefined && stream.isFinished);
      if (body !== undefined) {
        stream.hold(body);
        this.send(stream);
      }
      return;
    }
    const end = stream.isFinished ? Flag.endStream : 0;
    const bytes = Buffer.allocUnsafe(FRAME_HEAD + block.length + (body === undefined ? 0 : FRAME_HEAD + body.length));
    const flags = body === undefined ? Flag.endHeaders | end : Flag.endHeaders;
    let at = writeFrameHead(bytes, 0, block.length, FrameType.headers, flags, stream.id);
    bytes.set(block, at);
    if (body !== undefined) {
      at = writeFrameHead(bytes, at + block.length, body.length, FrameType.data, end, stream.id);
      bytes.set(body, at);
      this.#window -= body.length;
      stream.window -= body.length;
    }
    stream.isSent = stream.isFinished;
    this.#output.write(bytes);
  }

  /** Sends as much of the rest of a body as the windows allow, and its end. */
  send(stream: RequestStream): void {
    while (!stream.isSent) {
      const next = stream.unsent?.[0];
      if (next === undefined) {
        if (stream.isFinished) this.#writeData(stream, NOTHING);
        return;
      }
      // A window may be negative after the server has changed its settings.
      const length = Math.max(0, Math.min(next.length, FRAME_BYTES, this.#window, stream.window));
      if (length === 0 && next.length > 0) return;
      stream.sent(length);
      this.#writeData(stream, next.subarray(0, length));
    }
  }

  /** The server accepts more bytes on the connection. @throws RangeError if they are too many */
  widen(by: number): void {
    this.#window += by;
    if (this.#window > MAX_WINDOW) throw new RangeError("the window of the connection is too large");
  }

  #fits(stream: RequestStream, body: Buffer | undefined): boolean {
    if (body === undefined || body.length === 0) return true;
    return body.length <= FRAME_BYTES && body.length <= this.#window && body.length <= stream.window;
  }

  #writeData(stream: RequestStream, part: Buffer): void {
    this.#window -= part.length;
    stream.window -= part.length;
    stream.isSent = stream.isFinished && stream.unsent === undefined;
    this.#output.write(frameBytes(FrameType.data, stream.isSent ? Flag.endStream : 0, stream.id, part));
  }

  /** Sends a header block in as many frames as it needs. */
  #writeBlock(stream: RequestStream, block: Buffer, isEnd: boolean): void {
    for (let at = 0; at < block.length; at += FRAME_BYTES) {
      const part = block.subarray(at, at + FRAME_BYTES);
      const type = at === 0 ? FrameType.headers : FrameType.continuation;
      const end = at + FRAME_BYTES >= block.length ? Flag.endHeaders : 0;
      this.#output.write(frameBytes(type, end | (at === 0 && isEnd ? Flag.endStream : 0), stream.id, part));
    }
    stream.isSent = isEnd;
  }
}
