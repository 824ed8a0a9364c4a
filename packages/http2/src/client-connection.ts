import type { Duplex } from "node:stream";
import { BodySender } from "./body-sender.ts";
import { ConnectionError } from "./connection-error.ts";
import { FIRST_WINDOW, MAX_WINDOW } from "./flow-control.ts";
import { FrameOutput } from "./frame-output.ts";
import {
  Flag,
  type Frame,
  FrameType,
  frameBytes,
  numberFrame,
  PREFACE,
  Setting,
  settingsFrame,
  withoutPadding,
} from "./frames.ts";
import { HeaderBlocks, type HeaderList } from "./header-blocks.ts";
import { HeaderEncoder } from "./header-encoder.ts";
import type { Header } from "./hpack.ts";
import { IncomingFrames } from "./incoming-frames.ts";
import { type OutgoingRequest, requestBlock } from "./outgoing-request.ts";
import { ReceiveWindow } from "./receive-window.ts";
import { RequestStream, type ResponseHandler } from "./request-stream.ts";
import { statusOf } from "./response-headers.ts";
import { ServerSettings } from "./server-settings.ts";
import { StreamTable } from "./stream-table.ts";

/** The windows of a connection, in bytes. */
export interface ClientConnectionOptions {
  /** What the server may send on a stream before it is read. */
  readonly streamWindow: number;
  /** What it may send on all of them; it counts as read when it arrives, so a stream that is not read does not block the others. */
  readonly connectionWindow: number;
}

/** A request whose header was encoded before, by {@link encodeHeaders}. */
export interface EncodedRequest {
  readonly block: Buffer;
  /** The body, or its first part. */
  readonly body?: Buffer | undefined;
  /** Whether the body is complete; otherwise {@link RequestStream.send} and {@link RequestStream.finish} continue it. */
  readonly isFinished: boolean;
}

/** The error codes CANCEL and REFUSED_STREAM (RFC 9113, section 7). */
const CANCEL = 8;
const REFUSED_STREAM = 7;
/** Milliseconds within which the server must close its side after we have closed ours. */
const LINGER_MS = 5000;
const NOTHING = Buffer.alloc(0);
const NO_FIELDS: readonly Header[] = [];
const SETTINGS_ACK = frameBytes(FrameType.settings, Flag.ack, 0, NOTHING);
const PING = frameBytes(FrameType.ping, 0, 0, Buffer.alloc(8));
const NO_ERROR_GOAWAY = frameBytes(FrameType.goaway, 0, 0, Buffer.alloc(8));

/**
 * The client's side of one HTTP/2 connection (RFC 9113), for many small requests beside some long ones. All that is sent in one turn of
 * the event loop is one write, and a request allocates little more than what it sends and receives. It is never repaired: when it breaks,
 * its requests fail, and its owner opens another.
 */
export class ClientConnection {
  readonly #socket: Duplex;
  /** Those of the next stream. */
  readonly #windows: { send: number; readonly receive: number };
  readonly #incoming = new IncomingFrames();
  readonly #blocks = new HeaderBlocks();
  readonly #encoder = new HeaderEncoder();
  readonly #streams = new StreamTable();
  readonly #settings = new ServerSettings();
  readonly #ready = Promise.withResolvers<void>();
  readonly #receiveWindow: ReceiveWindow;
  readonly #output: FrameOutput;
  readonly #sender: BodySender;
  #isOpen = true;
  #isBroken = false;
  #hasLeft = false;
  #receivedMs = performance.now();
  #linger: NodeJS.Timeout | undefined;
  #onPong: (() => void) | undefined;
  /** Called when the number of requests in flight becomes 0, or is 0 no more. @default not */
  onBusy: ((isBusy: boolean) => void) | undefined;
  /** Called when the server accepts no more requests on this connection, after those that it has ignored have failed. @default not */
  onGoaway: ((error: ConnectionError) => void) | undefined;
  /** Called when {@link room} may have become larger otherwise than by the end of a request. @default not */
  onRoom: (() => void) | undefined;
  /** Called when the connection has ended, before its requests fail. @default not */
  onClose: ((error: ConnectionError) => void) | undefined;

  /** @param socket a connection that can be written to; TLS has agreed on `h2` */
  constructor(socket: Duplex, options: ClientConnectionOptions) {
    this.#socket = socket;
    this.#windows = { send: FIRST_WINDOW, receive: options.streamWindow };
    this.#receiveWindow = new ReceiveWindow(options.connectionWindow);
    this.#output = new FrameOutput(socket);
    this.#sender = new BodySender(this.#output);
    this.#ready.promise.catch(() => undefined);
    socket.on("data", (chunk: Buffer) => this.#receive(chunk));
    socket.on("error", (error: NodeJS.ErrnoException) =>
      this.#break(new ConnectionError(error.message, error.code ?? "ECONNRESET", { cause: error })),
    );
    socket.on("close", () => this.#break(new ConnectionError("the server closed the connection", "ECONNRESET")));
    this.#output.write(PREFACE);
    this.#output.write(
      settingsFrame([
        [Setting.enablePush, 0],
        [Setting.initialWindowSize, options.streamWindow],
      ]),
    );
    this.#output.write(numberFrame(FrameType.windowUpdate, 0, options.connectionWindow - FIRST_WINDOW));
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
    return this.#settings.maxStreams - this.#streams.size;
  }

  /** When the server was last heard, as of `performance.now()`. */
  get receivedMs(): number {
    return this.#receivedMs;
  }

  /**
   * Sends a request. The server refuses it beyond its limit of streams.
   *
   * @throws TypeError for a header that is not valid; ConnectionError when the connection is not open
   */
  request(request: OutgoingRequest, handler: ResponseHandler): RequestStream {
    this.#assertOpen();
    return this.#begin(requestBlock(this.#encoder, request), request.body, true, handler);
  }

  /**
   * Sends a request whose header was encoded before, or whose body follows.
   *
   * @throws ConnectionError when the connection is not open
   */
  begin(request: EncodedRequest, handler: ResponseHandler): RequestStream {
    this.#assertOpen();
    return this.#begin(this.#encoder.adopt(request.block), request.body, request.isFinished, handler);
  }

  /** Sends now what would be sent at the end of this turn of the event loop. */
  flush(): void {
    this.#output.flush();
  }

  /** Stops reading what the server sends, for all requests, until {@link resume}. */
  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    // What arrived in the meantime was not read: its silence is none.
    this.#receivedMs = performance.now();
    this.#socket.resume();
  }

  /** Sends a PING; calls back when the server has answered. One at a time. */
  ping(onPong?: () => void): void {
    this.#onPong = onPong;
    this.#output.write(PING);
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
  send(stream: RequestStream): void {
    this.#sender.send(stream);
  }

  /** @internal */
  grant(stream: RequestStream, bytes: number): void {
    this.#output.write(numberFrame(FrameType.windowUpdate, stream.id, bytes));
  }

  /** @internal */
  cancel(stream: RequestStream): void {
    if (stream.ended) return;
    this.#output.write(numberFrame(FrameType.rstStream, stream.id, CANCEL));
    this.#remove(stream);
  }

  #assertOpen(): void {
    if (!this.#isOpen) throw new ConnectionError("the connection is closed", "ECONNRESET", { isUnprocessed: true });
  }

  #begin(block: Buffer, body: Buffer | undefined, isFinished: boolean, handler: ResponseHandler): RequestStream {
    const stream = new RequestStream(this, this.#streams.takeId(), this.#windows, isFinished, handler);
    if (this.#streams.isExhausted) this.#isOpen = false;
    this.#streams.add(stream);
    if (this.#streams.size === 1) this.onBusy?.(true);
    this.#sender.begin(stream, block, body);
    return stream;
  }

  #receive(chunk: Buffer): void {
    if (this.#isBroken) return;
    this.#receivedMs = performance.now();
    try {
      this.#incoming.add(chunk);
      for (let frame = this.#incoming.next(); frame !== undefined; frame = this.#incoming.next()) {
        this.#blocks.check(frame);
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
      if (isViolation) return;
      // A bug of a handler: reported as such, but not by the socket.
      queueMicrotask(() => {
        throw cause;
      });
    }
  }

  #frame(frame: Frame): void {
    switch (frame.type) {
      case FrameType.data:
        this.#data(frame);
        break;
      case FrameType.headers:
      case FrameType.continuation: {
        const list = this.#blocks.read(frame);
        if (list !== undefined) this.#headers(list);
        break;
      }
      case FrameType.settings:
        if ((frame.flags & Flag.ack) === 0) this.#apply(frame.payload);
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
    }
  }

  #data({ stream: id, flags, payload }: Frame): void {
    if (!this.#receiveWindow.received(payload.length))
      throw new RangeError("the server sent more than the window of the connection");
    const granted = this.#receiveWindow.consumed(payload.length);
    if (granted > 0) this.#output.write(numberFrame(FrameType.windowUpdate, 0, granted));
    const stream = this.#streams.get(id);
    if (stream === undefined) return;
    if (!stream.hasHeaders) throw new RangeError("DATA before the header of the response");
    stream.received(payload.length);
    const part = withoutPadding(flags, payload);
    if (part.length < payload.length) stream.consumed(payload.length - part.length);
    if (part.length > 0) stream.handler.onData(part);
    if ((flags & Flag.endStream) !== 0) this.#complete(stream, NO_FIELDS);
  }

  #headers({ stream: id, isEnd, fields }: HeaderList): void {
    const stream = this.#streams.get(id);
    if (stream === undefined) return;
    if (stream.hasHeaders) {
      if (!isEnd) throw new RangeError("a second header of a response");
      this.#complete(stream, fields);
      return;
    }
    const status = statusOf(fields);
    // Interim responses precede the final one.
    if (status < 200 && !isEnd) return;
    stream.hasHeaders = true;
    stream.handler.onHeaders(status, fields, isEnd);
    if (isEnd) this.#complete(stream, NO_FIELDS);
  }

  /** The response is complete, though the server may not have read the whole request. */
  #complete(stream: RequestStream, trailers: readonly Header[]): void {
    if (stream.ended) return;
    if (!stream.isSent) this.#output.write(numberFrame(FrameType.rstStream, stream.id, CANCEL));
    this.#remove(stream);
    stream.handler.onEnd(trailers);
  }

  /**
   * Applies the server's settings. A changed window applies to existing streams as well, also if it becomes negative (RFC 9113,
   * section 6.9.2).
   */
  #apply(payload: Buffer): void {
    const change = this.#settings.read(payload);
    this.#windows.send = this.#settings.streamWindow;
    for (const stream of this.#streams.values()) stream.widen(change);
    if (this.#settings.tableBytes !== undefined) this.#encoder.setLimit(this.#settings.tableBytes);
    this.#output.answer(SETTINGS_ACK);
    this.#sendUnsent();
    this.#ready.resolve();
    this.onRoom?.();
  }

  #ping({ flags, payload }: Frame): void {
    if ((flags & Flag.ack) === 0) {
      this.#output.answer(frameBytes(FrameType.ping, Flag.ack, 0, payload));
      return;
    }
    const onPong = this.#onPong;
    this.#onPong = undefined;
    onPong?.();
  }

  #widen(id: number, by: number): void {
    if (by === 0) throw new RangeError("a WINDOW_UPDATE of no bytes");
    if (id === 0) {
      this.#sender.widen(by);
      this.#sendUnsent();
      return;
    }
    const stream = this.#streams.get(id);
    if (stream === undefined) return;
    stream.widen(by);
    if (stream.unsent !== undefined) this.#sender.send(stream);
  }

  #sendUnsent(): void {
    for (const stream of this.#streams.values()) if (stream.unsent !== undefined) this.#sender.send(stream);
  }

  #reset(id: number, code: number): void {
    const stream = this.#streams.get(id);
    if (stream === undefined) return;
    const text = `the server reset the stream with code ${code}`;
    this.#fail(stream, new ConnectionError(text, "ERR_HTTP2_STREAM_ERROR", { isUnprocessed: code === REFUSED_STREAM }));
  }

  /**
   * The server accepts no more requests on this connection; the accepted ones continue. Its first GOAWAY may have no limit, as it does
   * not know what is on the wire; servers answer ours with another one that says which requests they have ignored.
   */
  #goaway(last: number, code: number): void {
    this.#isOpen = false;
    this.#leave();
    const text = `the server sent GOAWAY with code ${code}`;
    const error = new ConnectionError(text, "ECONNRESET", { isUnprocessed: true });
    for (const stream of this.#streams.after(last)) if (!stream.ended) this.#fail(stream, error);
    this.onGoaway?.(error);
    this.#closeIfIdle();
  }

  #fail(stream: RequestStream, error: ConnectionError): void {
    this.#remove(stream);
    stream.handler.onFailure(error);
  }

  #remove(stream: RequestStream): void {
    stream.end();
    this.#streams.remove(stream);
    if (this.#streams.size > 0) return;
    this.onBusy?.(false);
    this.#closeIfIdle();
  }

  /** Ends a connection that accepts no more requests, with its last one. */
  #closeIfIdle(): void {
    if (this.#isOpen || this.#isBroken || this.#streams.size > 0 || this.#linger !== undefined) return;
    this.#leave();
    this.#output.end();
    const late = (): void => this.#break(new ConnectionError("the server did not close the connection", "ETIMEDOUT"));
    this.#linger = setTimeout(late, LINGER_MS).unref();
  }

  /** Tells the server, once, that there will be no more requests. */
  #leave(): void {
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    this.#output.write(NO_ERROR_GOAWAY);
  }

  #break(error: ConnectionError): void {
    if (this.#isBroken) return;
    this.#isBroken = true;
    this.#isOpen = false;
    clearTimeout(this.#linger);
    this.#output.close();
    this.#socket.destroy();
    this.#ready.reject(error);
    const open = this.#streams.clear();
    if (open.length > 0) this.onBusy?.(false);
    this.onClose?.(error);
    for (const stream of open) {
      stream.end();
      stream.handler.onFailure(error);
    }
  }
}
