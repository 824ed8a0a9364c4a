import type { Duplex } from "node:stream";
import { FIRST_WINDOW, MAX_WINDOW } from "./flow-control.ts";
import {
  Flag,
  FRAME_BYTES,
  FRAME_HEAD,
  type Frame,
  FrameReader,
  FrameType,
  frameBytes,
  numberFrame,
  PREFACE,
  Setting,
  settingsFrame,
  withoutPadding,
  withoutPriority,
  writeFrameHead,
} from "./frames.ts";
import { HeaderEncoder } from "./header-encoder.ts";
import { type Header, HeaderDecoder } from "./hpack.ts";
import { CANCEL, ConnectionError, REFUSED_STREAM, RequestStream, type ResponseHandler } from "./request-stream.ts";
import { readResponseHeaders } from "./response-headers.ts";

/** The windows of a connection, in bytes. */
export interface ClientConnectionOptions {
  /** What the server may send on a stream before it is read. */
  readonly streamWindow: number;
  /** What it may send on all of them; it counts as read when it arrives, so a stream that is not read does not block the others. */
  readonly connectionWindow: number;
}

/** One request. */
export interface OutgoingRequest {
  readonly method: string;
  readonly authority: string;
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: Buffer | undefined;
}

/** The last stream id that a connection uses, before the ids are exhausted at 2^31. */
const LAST_STREAM = 2 ** 30;
/** Bytes of a header block in several frames. */
const MAX_BLOCK = 256 * 1024;
/** Unsent bytes beyond which a server that makes us answer, and does not read the answers, loses its connection. */
const MAX_UNREAD_ANSWERS = 1 << 20;
const SETTINGS_ACK = frameBytes(FrameType.settings, Flag.ack, 0, Buffer.alloc(0));
const NO_ERROR_GOAWAY = frameBytes(FrameType.goaway, 0, 0, Buffer.alloc(8));

/**
 * The client's side of one HTTP/2 connection (RFC 9113), for many small requests beside some long ones. All that is sent in one turn of
 * the event loop is one write, and a request allocates little more than what it sends and receives. It is never repaired: when it breaks,
 * its requests fail, and its owner opens another.
 */
export class ClientConnection {
  readonly #socket: Duplex;
  readonly #options: ClientConnectionOptions;
  readonly #frames = new FrameReader();
  readonly #decoder = new HeaderDecoder();
  readonly #encoder = new HeaderEncoder();
  readonly #streams = new Map<number, RequestStream>();
  readonly #ready = Promise.withResolvers<void>();
  #output: Buffer[] = [];
  #isOpen = true;
  #isBroken = false;
  #hasLeft = false;
  #nextId = 1;
  /** Streams that the server accepts at the same time. */
  #maxStreams = Number.POSITIVE_INFINITY;
  #window = FIRST_WINDOW;
  /** The window with which streams start. */
  #firstWindow = FIRST_WINDOW;
  /** Bytes that the server may still send, and those that it has sent since it was told last. */
  #receiveWindow: number;
  #unacknowledged = 0;
  /** A header block that is not complete, and its first frame. */
  #block: { readonly frame: Frame; readonly parts: Buffer[]; bytes: number } | undefined;
  #onPong: (() => void) | undefined;
  /** Called when the number of requests in flight becomes 0, or is 0 no more. @default not */
  onBusy: ((isBusy: boolean) => void) | undefined;
  /** Called when the connection has ended. @default not */
  onClose: (() => void) | undefined;

  /** @param socket a connection that can be written to; TLS has agreed on `h2` */
  constructor(socket: Duplex, options: ClientConnectionOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#receiveWindow = options.connectionWindow;
    this.#ready.promise.catch(() => undefined);
    socket.on("data", (chunk: Buffer) => this.#receive(chunk));
    socket.on("error", (error: NodeJS.ErrnoException) =>
      this.#break(new ConnectionError(error.message, error.code ?? "ECONNRESET", { cause: error })),
    );
    socket.on("close", () => this.#break(new ConnectionError("the server closed the connection", "ECONNRESET")));
    this.#write(PREFACE);
    this.#write(
      settingsFrame([
        [Setting.enablePush, 0],
        [Setting.initialWindowSize, options.streamWindow],
      ]),
    );
    this.#write(numberFrame(FrameType.windowUpdate, 0, options.connectionWindow - FIRST_WINDOW));
  }

  /** Resolves when the server's settings have arrived, which say how many streams it accepts. @throws ConnectionError */
  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  /** Whether requests can be sent at all; false after GOAWAY. */
  get open(): boolean {
    return this.#isOpen;
  }

  /** Number of further requests that the server accepts now; negative beyond its limit. */
  get room(): number {
    return this.#maxStreams - this.#streams.size;
  }

  /**
   * Sends a request. The server refuses it beyond its limit of streams.
   *
   * @throws TypeError for a header that is not valid; ConnectionError when the connection is not open
   */
  request(request: OutgoingRequest, handler: ResponseHandler): RequestStream {
    if (!this.#isOpen) throw new ConnectionError("the connection is closed", "ECONNRESET", { isUnprocessed: true });
    const block = this.#encode(request);
    const stream = new RequestStream(this, {
      id: this.#nextId,
      window: this.#firstWindow,
      receiveWindow: this.#options.streamWindow,
      handler,
    });
    this.#nextId += 2;
    if (this.#nextId > LAST_STREAM) this.#isOpen = false;
    this.#streams.set(stream.id, stream);
    if (this.#streams.size === 1) this.onBusy?.(true);
    this.#writeRequest(stream, block, request.body);
    return stream;
  }

  /** Sends a PING; calls back when the server has answered. One at a time. */
  ping(onPong: () => void): void {
    this.#onPong = onPong;
    this.#write(frameBytes(FrameType.ping, 0, 0, Buffer.alloc(8)));
  }

  /** Accepts no more requests, and closes the connection when the last one ends. */
  retire(): void {
    this.#isOpen = false;
    this.#closeIfIdle();
  }

  /** Ends the connection; its requests fail with the error. */
  destroy(error: ConnectionError): void {
    this.#break(error);
  }

  /** @internal */
  grant(stream: RequestStream, bytes: number): void {
    this.#write(numberFrame(FrameType.windowUpdate, stream.id, bytes));
  }

  /** @internal */
  cancel(stream: RequestStream): void {
    if (stream.ended) return;
    this.#write(numberFrame(FrameType.rstStream, stream.id, CANCEL));
    this.#remove(stream);
  }

  #encode({ method, authority, path, headers, body }: OutgoingRequest): Buffer {
    const fields: Header[] = [
      [":method", method],
      [":scheme", "https"],
      [":authority", authority],
      [":path", path],
    ];
    for (const key in headers) {
      const value = headers[key];
      const name = key.toLowerCase();
      if (typeof value === "string") fields.push([name, value]);
      else if (value !== undefined) for (const one of value) fields.push([name, one]);
    }
    if (body !== undefined) fields.push(["content-length", String(body.length)]);
    return this.#encoder.encode(fields);
  }

  /** Sends a request; nearly all are small enough for one allocation. */
  #writeRequest(stream: RequestStream, block: Buffer, body: Buffer | undefined): void {
    const fits = body === undefined || (body.length <= FRAME_BYTES && body.length <= this.#sendable(stream));
    if (block.length > FRAME_BYTES || !fits) {
      this.#writeBlock(stream.id, block, body === undefined);
      if (body !== undefined) this.#send(stream, body);
      return;
    }
    const bytes = Buffer.allocUnsafe(FRAME_HEAD + block.length + (body === undefined ? 0 : FRAME_HEAD + body.length));
    const flags = body === undefined ? Flag.endHeaders | Flag.endStream : Flag.endHeaders;
    let at = writeFrameHead(bytes, 0, block.length, FrameType.headers, flags, stream.id);
    bytes.set(block, at);
    if (body !== undefined) {
      at = writeFrameHead(bytes, at + block.length, body.length, FrameType.data, Flag.endStream, stream.id);
      bytes.set(body, at);
      this.#window -= body.length;
      stream.window -= body.length;
    }
    this.#write(bytes);
  }

  /** Sends a header block in as many frames as it needs. */
  #writeBlock(id: number, block: Buffer, isEnd: boolean): void {
    for (let at = 0; at < block.length; at += FRAME_BYTES) {
      const part = block.subarray(at, at + FRAME_BYTES);
      const type = at === 0 ? FrameType.headers : FrameType.continuation;
      const end = at + FRAME_BYTES >= block.length ? Flag.endHeaders : 0;
      this.#write(frameBytes(type, end | (at === 0 && isEnd ? Flag.endStream : 0), id, part));
    }
  }

  #sendable(stream: RequestStream): number {
    return Math.min(this.#window, stream.window);
  }

  /** Sends as much of a body as flow control allows, and keeps the rest. */
  #send(stream: RequestStream, body: Buffer): void {
    let rest = body;
    for (;;) {
      const length = Math.min(rest.length, FRAME_BYTES, this.#sendable(stream));
      if (length <= 0 && rest.length > 0) break;
      const isLast = length === rest.length;
      this.#write(frameBytes(FrameType.data, isLast ? Flag.endStream : 0, stream.id, rest.subarray(0, length)));
      this.#window -= length;
      stream.window -= length;
      rest = rest.subarray(length);
      if (!isLast) continue;
      stream.unsent = undefined;
      return;
    }
    stream.unsent = rest;
  }

  #write(bytes: Buffer): void {
    if (this.#isBroken || this.#output.push(bytes) > 1) return;
    setImmediate(() => this.#flush());
  }

  #flush(): void {
    const [only] = this.#output;
    if (only === undefined || this.#isBroken) return;
    const bytes = this.#output.length === 1 ? only : Buffer.concat(this.#output);
    this.#output = [];
    this.#socket.write(bytes);
  }

  /** Sends what the server made us answer. */
  #answer(bytes: Buffer): void {
    if (this.#socket.writableLength + this.#output.length * FRAME_HEAD > MAX_UNREAD_ANSWERS)
      throw new RangeError("the server does not read the answers to its frames");
    this.#write(bytes);
  }

  #receive(chunk: Buffer): void {
    if (this.#isBroken) return;
    try {
      for (const frame of this.#frames.read(chunk)) {
        this.#frame(frame);
        if (this.#isBroken) return;
      }
    } catch (cause) {
      // Codes that read beyond the end of a frame throw RangeErrors as well.
      const isViolation = cause instanceof RangeError;
      const text = isViolation
        ? `the server violates the HTTP/2 protocol: ${cause.message}`
        : "a response was not read";
      this.#break(new ConnectionError(text, "EPROTO", { cause }));
      if (!isViolation) throw cause;
      return;
    }
    if (this.#unacknowledged < this.#options.connectionWindow / 2) return;
    this.#receiveWindow += this.#unacknowledged;
    this.#write(numberFrame(FrameType.windowUpdate, 0, this.#unacknowledged));
    this.#unacknowledged = 0;
  }

  #frame(frame: Frame): void {
    if (this.#block !== undefined && frame.type !== FrameType.continuation)
      throw new RangeError("a header block was cut off");
    switch (frame.type) {
      case FrameType.data:
        this.#data(frame);
        break;
      case FrameType.headers:
        if ((frame.flags & Flag.endHeaders) !== 0) this.#headers(frame, withoutPriority(frame));
        else this.#begin(frame);
        break;
      case FrameType.continuation:
        this.#continuation(frame);
        break;
      case FrameType.settings:
        if ((frame.flags & Flag.ack) === 0) this.#settings(frame.payload);
        break;
      case FrameType.ping:
        this.#ping(frame);
        break;
      case FrameType.windowUpdate:
        this.#widen(frame.stream, frame.payload.readUInt32BE(0) & MAX_WINDOW);
        break;
      case FrameType.rstStream:
        this.#reset(frame.stream, frame.payload.readUInt32BE(0));
        break;
      case FrameType.goaway:
        this.#goaway(frame.payload.readUInt32BE(0) & MAX_WINDOW, frame.payload.readUInt32BE(4));
        break;
      case FrameType.pushPromise:
        throw new RangeError("a PUSH_PROMISE, which was disabled");
    }
  }

  #data({ stream: id, flags, payload }: Frame): void {
    this.#unacknowledged += payload.length;
    this.#receiveWindow -= payload.length;
    if (this.#receiveWindow < 0) throw new RangeError("the server sent more than the window of the connection");
    const stream = this.#streams.get(id);
    // A stream that was cancelled: what the server had sent by then still arrives.
    if (stream === undefined) return;
    if (!stream.hasHeaders) throw new RangeError("DATA before the header of the response");
    stream.received(payload.length);
    const part = withoutPadding(flags, payload);
    if (part.length < payload.length) stream.consumed(payload.length - part.length);
    if (part.length > 0) stream.handler.onData(part);
    if ((flags & Flag.endStream) !== 0) this.#complete(stream);
  }

  /** Keeps the beginning of a header block: a copy, because the rest may arrive with another read. */
  #begin(frame: Frame): void {
    const part = Buffer.from(withoutPriority(frame));
    this.#block = { frame, parts: [part], bytes: part.length };
  }

  #continuation({ flags, payload, stream }: Frame): void {
    const block = this.#block;
    if (block === undefined || block.frame.stream !== stream)
      throw new RangeError("a CONTINUATION frame without a header block");
    block.parts.push(Buffer.from(payload));
    // An empty frame costs something, too.
    block.bytes += payload.length + FRAME_HEAD;
    if (block.bytes > MAX_BLOCK) throw new RangeError(`a header block has more than ${MAX_BLOCK} bytes`);
    if ((flags & Flag.endHeaders) === 0) return;
    this.#block = undefined;
    this.#headers(block.frame, Buffer.concat(block.parts));
  }

  /** @param frame the first one of the block, whose flags say whether the response ends */
  #headers({ stream: id, flags }: Frame, block: Buffer): void {
    // Blocks of unknown streams are decoded as well: they may change the table for the following ones.
    const fields = this.#decoder.decode(block);
    const stream = this.#streams.get(id);
    if (stream === undefined) return;
    const isEnd = (flags & Flag.endStream) !== 0;
    if (!stream.hasHeaders) {
      const { status, headers } = readResponseHeaders(fields);
      // Interim responses precede the final one.
      if (status < 200 && !isEnd) return;
      stream.hasHeaders = true;
      stream.handler.onHeaders(status, headers, isEnd);
    } else if (!isEnd) throw new RangeError("a second header of a response");
    if (isEnd) this.#complete(stream);
  }

  /** The response is complete, though the server may not have read the whole request. */
  #complete(stream: RequestStream): void {
    if (stream.ended) return;
    if (stream.unsent !== undefined) this.#write(numberFrame(FrameType.rstStream, stream.id, CANCEL));
    this.#remove(stream);
    stream.handler.onEnd();
  }

  /**
   * Applies the server's settings. A changed window applies to existing streams as well, also if it becomes negative (RFC 9113,
   * section 6.9.2).
   */
  #settings(payload: Buffer): void {
    for (let at = 0; at + 6 <= payload.length; at += 6) {
      const value = payload.readUInt32BE(at + 2);
      const id = payload.readUInt16BE(at);
      if (id === Setting.maxConcurrentStreams) this.#maxStreams = value;
      else if (id === Setting.headerTableSize) this.#encoder.setLimit(value);
      else if (id === Setting.initialWindowSize) {
        if (value > MAX_WINDOW) throw new RangeError(`a window of ${value} bytes`);
        for (const stream of this.#streams.values()) stream.window += value - this.#firstWindow;
        this.#firstWindow = value;
      }
    }
    this.#answer(SETTINGS_ACK);
    this.#sendUnsent();
    this.#ready.resolve();
  }

  #ping({ flags, payload }: Frame): void {
    if ((flags & Flag.ack) === 0) {
      this.#answer(frameBytes(FrameType.ping, Flag.ack, 0, payload));
      return;
    }
    const onPong = this.#onPong;
    this.#onPong = undefined;
    onPong?.();
  }

  #widen(id: number, by: number): void {
    if (id === 0) {
      this.#window += by;
      if (this.#window > MAX_WINDOW) throw new RangeError("the window of the connection is too large");
      this.#sendUnsent();
      return;
    }
    const stream = this.#streams.get(id);
    if (stream === undefined) return;
    stream.window += by;
    if (stream.window > MAX_WINDOW) throw new RangeError("the window of a stream is too large");
    if (stream.unsent !== undefined) this.#send(stream, stream.unsent);
  }

  #sendUnsent(): void {
    for (const stream of this.#streams.values()) if (stream.unsent !== undefined) this.#send(stream, stream.unsent);
  }

  #reset(id: number, code: number): void {
    const text = `the server reset the stream with code ${code}`;
    this.#fail(id, new ConnectionError(text, "ERR_HTTP2_STREAM_ERROR", { isUnprocessed: code === REFUSED_STREAM }));
  }

  /**
   * The server accepts no more requests on this connection; the accepted ones continue. Its first GOAWAY may have no limit, as it does
   * not know what is on the wire; servers answer ours with another one that says which requests they have ignored.
   */
  #goaway(last: number, code: number): void {
    this.#isOpen = false;
    this.#leave();
    const error = new ConnectionError(`the server sent GOAWAY with code ${code}`, "ECONNRESET", {
      isUnprocessed: true,
    });
    for (const id of [...this.#streams.keys()]) if (id > last) this.#fail(id, error);
    this.#closeIfIdle();
  }

  #fail(id: number, error: ConnectionError): void {
    const stream = this.#streams.get(id);
    if (stream === undefined) return;
    this.#remove(stream);
    stream.handler.onFailure(error);
  }

  #remove(stream: RequestStream): void {
    stream.ended = true;
    stream.unsent = undefined;
    this.#streams.delete(stream.id);
    if (this.#streams.size > 0) return;
    this.onBusy?.(false);
    this.#closeIfIdle();
  }

  /** Ends a connection that accepts no more requests, with its last one. */
  #closeIfIdle(): void {
    if (this.#isOpen || this.#isBroken || this.#streams.size > 0) return;
    this.#leave();
    this.#flush();
    this.#socket.end();
  }

  /** Tells the server, once, that there will be no more requests. */
  #leave(): void {
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    this.#write(NO_ERROR_GOAWAY);
  }

  #break(error: ConnectionError): void {
    if (this.#isBroken) return;
    this.#isBroken = true;
    this.#isOpen = false;
    this.#output = [];
    this.#socket.destroy();
    this.#ready.reject(error);
    const open = [...this.#streams.values()];
    this.#streams.clear();
    if (open.length > 0) this.onBusy?.(false);
    this.onClose?.();
    for (const stream of open) {
      stream.ended = true;
      stream.handler.onFailure(error);
    }
  }
}
