import { connect as connectTcp } from "node:net";
import type { Duplex } from "node:stream";
import { connect as connectTls } from "node:tls";
import {
  FIRST_WINDOW,
  Flag,
  FRAME_BYTES,
  FRAME_HEAD,
  type Frame,
  FrameReader,
  FrameType,
  frameBytes,
  HeaderDecoder,
  numberFrame,
  PREFACE,
  Setting,
  settingsFrame,
  withoutPadding,
  withoutPriority,
  writeFrameHead,
} from "@orchernetes/http2";
import { type Dialer, messageOf } from "@orchernetes/kernel";
import { CallHeads } from "./call-heads.ts";
import { type CallSink, type GrpcConnection, type GrpcTarget, serverName } from "./connection.ts";
import { WINDOW, WINDOW_UPDATE_BYTES } from "./flow-control.ts";
import { GrpcError, GrpcStatus } from "./grpc-error.ts";
import { framedMessage, MESSAGE_HEAD, writeMessage } from "./grpc-framing.ts";
import { GrpcStream } from "./grpc-stream.ts";

/** The last stream id that a connection uses, before the ids are exhausted at 2^31. */
const LAST_STREAM = 2 ** 30;
/** Error code CANCEL (RFC 9113, section 7). */
const CANCEL = 8;
/**
 * Milliseconds of silence after which a PING is sent, and within which the server must then respond. TCP alone
 * detects a dead peer only after many minutes.
 */
const PING_MS = 30_000;
const PONG_MS = 10_000;
const PING = frameBytes(FrameType.ping, 0, 0, Buffer.alloc(8));
const SETTINGS_ACK = frameBytes(FrameType.settings, Flag.ack, 0, Buffer.alloc(0));

/**
 * A connection for many small calls (RFC 9113; gRPC over HTTP/2). All data of one turn of the event loop is sent in
 * one write, and a call allocates only what it sends and receives.
 */
export class LeanConnection implements GrpcConnection {
  /** Undefined while the dialer has not returned a connection. */
  #socket: Duplex | undefined;
  /** Ends a dial in flight. */
  readonly #dialling = new AbortController();
  readonly #frames = new FrameReader();
  readonly #decoder = new HeaderDecoder();
  readonly #heads: CallHeads;
  readonly #target: GrpcTarget;
  readonly #streams = new Map<number, GrpcStream>();
  /** Calls that wait until the connection is established, or the server accepts more of them. */
  #waiting: GrpcStream[] = [];
  #output: Buffer[] = [];
  #connected = false;
  /** Whether this side does not read; then silence says nothing about the server. */
  #paused = false;
  #usable = true;
  #nextId = 1;
  #maxStreams = Number.POSITIVE_INFINITY;
  #window = FIRST_WINDOW;
  #firstWindow = FIRST_WINDOW;
  #unacknowledged = 0;
  /** A header block that is not complete, and its frame. */
  #block: { readonly frame: Frame; readonly parts: Buffer[] } | undefined;
  #timer: NodeJS.Timeout | undefined;
  #checkMs = Number.POSITIVE_INFINITY;
  #receivedMs = 0;
  #pingedMs = 0;

  /** @param dial opens the connection @default directly */
  constructor(target: GrpcTarget, dial?: Dialer) {
    this.#target = target;
    this.#heads = new CallHeads(target);
    const { host, port, tls } = target;
    if (dial !== undefined) {
      dial({ host, port }, this.#dialling.signal).then(
        (raw) => this.#useDialled(raw),
        (error: unknown) => this.#break(messageOf(error)),
      );
      return;
    }
    const socket =
      tls === undefined
        ? connectTcp({ host, port })
        : connectTls({ host, port, ALPNProtocols: ["h2"], ...serverName(host), ...tls });
    socket.setNoDelay(true);
    this.#use(socket, tls === undefined ? "connect" : "secureConnect");
  }

  /** Continues with a connection that the dialer has opened. */
  #useDialled(raw: Duplex): void {
    // The owner may have closed this connection in the meantime.
    if (this.#dialling.signal.aborted) {
      raw.destroy();
      return;
    }
    const { host, tls } = this.#target;
    if (tls === undefined) {
      this.#use(raw, undefined);
      this.#start();
      return;
    }
    const socket = connectTls({ socket: raw, host, ALPNProtocols: ["h2"], ...serverName(host), ...tls });
    raw.once("close", () => socket.destroy());
    socket.once("close", () => raw.destroy());
    this.#use(socket, "secureConnect");
  }

  /**
   * Uses a connection.
   *
   * @param begins the event after which it can be written to; undefined if it can be now
   */
  #use(socket: Duplex, begins: "connect" | "secureConnect" | undefined): void {
    this.#socket = socket;
    if (begins !== undefined) socket.once(begins, () => this.#start());
    socket.on("data", (chunk: Buffer) => this.#receive(chunk));
    socket.on("error", (error: NodeJS.ErrnoException) => this.#break(error.message || (error.code ?? String(error))));
    socket.on("close", () => this.#break("the connection was closed"));
    if (this.#paused) socket.pause();
  }

  get usable(): boolean {
    return this.#usable;
  }

  call(path: string, only: Uint8Array | undefined, timeoutMs: number, sink: CallSink): GrpcStream {
    const stream = new GrpcStream(this, path, timeoutMs, sink);
    if (only !== undefined) {
      stream.only = only;
      stream.finished = true;
    }
    if (!this.#usable) {
      queueMicrotask(() => stream.end(new GrpcError(GrpcStatus.unavailable, "the connection is closed")));
      return stream;
    }
    if (timeoutMs <= 0) {
      queueMicrotask(() =>
        stream.end(new GrpcError(GrpcStatus.deadlineExceeded, "the deadline passed before the call")),
      );
      return stream;
    }
    if (this.#connected && this.#streams.size < this.#maxStreams) this.#take(stream);
    else this.#waiting.push(stream);
    this.#checkAt(Math.min(stream.deadlineMs, stream.startedMs + PING_MS));
    return stream;
  }

  /** Sends a message of a streaming call. */
  send(stream: GrpcStream, message: Uint8Array): void {
    if (stream.ended || stream.finished) return;
    stream.unsent.push(framedMessage(message));
    if (stream.id !== 0) this.#send(stream);
  }

  /** Sends no more messages of a call. */
  finish(stream: GrpcStream): void {
    if (stream.finished || stream.ended) return;
    stream.finished = true;
    // Data that is still unsent carries the END_STREAM flag, or precedes it.
    if (stream.id !== 0 && stream.unsent.length === 0) this.#writeEnd(stream);
  }

  pause(): void {
    this.#paused = true;
    this.#socket?.pause();
  }

  resume(): void {
    this.#paused = false;
    this.#receivedMs = performance.now();
    this.#socket?.resume();
  }

  /** Cancels a call: its sink ends at once, and the server is notified as soon as possible. */
  cancel(stream: GrpcStream, error: GrpcError): void {
    if (stream.ended) return;
    this.#waiting = this.#waiting.filter((other) => other !== stream);
    if (stream.id !== 0) this.#write(numberFrame(FrameType.rstStream, stream.id, CANCEL));
    stream.end(error);
    this.#remove(stream);
  }

  /** Ends all calls. Idempotent. */
  close(): void {
    this.#break("the connection was closed by this side");
  }

  #start(): void {
    this.#connected = true;
    this.#receivedMs = performance.now();
    this.#write(PREFACE);
    this.#write(
      settingsFrame([
        [Setting.enablePush, 0],
        [Setting.initialWindowSize, WINDOW],
      ]),
    );
    this.#write(numberFrame(FrameType.windowUpdate, 0, WINDOW - FIRST_WINDOW));
    this.#admit();
  }

  /** Opens streams for waiting calls, as many as the server allows. */
  #admit(): void {
    while (this.#connected && this.#streams.size < this.#maxStreams) {
      const stream = this.#waiting.shift();
      if (stream === undefined) return;
      this.#take(stream);
    }
  }

  #take(stream: GrpcStream): void {
    stream.id = this.#nextId;
    this.#nextId += 2;
    if (this.#nextId > LAST_STREAM) this.#usable = false;
    stream.window = this.#firstWindow;
    this.#streams.set(stream.id, stream);
    const head = this.#heads.of(stream.path);
    const { only } = stream;
    stream.only = undefined;
    if (only !== undefined && this.#fits(MESSAGE_HEAD + only.length, stream)) {
      this.#writeCall(stream, head, only);
      return;
    }
    this.#write(frameBytes(FrameType.headers, Flag.endHeaders, stream.id, head));
    if (only !== undefined) stream.unsent.push(framedMessage(only));
    if (stream.finished && stream.unsent.length === 0) this.#writeEnd(stream);
    else this.#send(stream);
  }

  /** Sends a call of one small message, as nearly every call is, with one allocation. */
  #writeCall(stream: GrpcStream, head: Buffer, only: Uint8Array): void {
    const length = MESSAGE_HEAD + only.length;
    const bytes = Buffer.allocUnsafe(2 * FRAME_HEAD + head.length + length);
    let at = writeFrameHead(bytes, 0, head.length, FrameType.headers, Flag.endHeaders, stream.id);
    bytes.set(head, at);
    at = writeFrameHead(bytes, at + head.length, length, FrameType.data, Flag.endStream, stream.id);
    writeMessage(bytes, at, only);
    this.#window -= length;
    stream.window -= length;
    this.#write(bytes);
  }

  #writeEnd(stream: GrpcStream): void {
    this.#write(frameBytes(FrameType.data, Flag.endStream, stream.id, Buffer.alloc(0)));
  }

  #fits(length: number, stream: GrpcStream): boolean {
    return length <= FRAME_BYTES && length <= this.#window && length <= stream.window;
  }

  /** Sends as much of a stream as flow control allows. */
  #send(stream: GrpcStream): void {
    while (!stream.ended) {
      const [next] = stream.unsent;
      if (next === undefined) return;
      const length = Math.min(next.length, FRAME_BYTES, this.#window, stream.window);
      if (length <= 0) return;
      const rest = next.length - length;
      if (rest === 0) stream.unsent.shift();
      else stream.unsent[0] = next.subarray(length);
      const last = rest === 0 && stream.unsent.length === 0 && stream.finished;
      this.#window -= length;
      stream.window -= length;
      this.#write(frameBytes(FrameType.data, last ? Flag.endStream : 0, stream.id, next.subarray(0, length)));
    }
  }

  #write(bytes: Buffer): void {
    if (this.#output.push(bytes) > 1) return;
    setImmediate(() => this.flush());
  }

  flush(): void {
    const [only] = this.#output;
    if (only === undefined || this.#socket === undefined || this.#socket.destroyed) return;
    const bytes = this.#output.length === 1 ? only : Buffer.concat(this.#output);
    this.#output = [];
    this.#socket.write(bytes);
  }

  #receive(chunk: Buffer): void {
    this.#receivedMs = performance.now();
    this.#unacknowledged += chunk.length;
    try {
      for (const frame of this.#frames.read(chunk)) this.#frame(frame);
    } catch (error) {
      this.#break(`the server violates the HTTP/2 protocol: ${messageOf(error)}`);
      return;
    }
    if (this.#unacknowledged < WINDOW_UPDATE_BYTES) return;
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
        // A copy, because the rest of the block may arrive with another read.
        else this.#block = { frame, parts: [Buffer.from(withoutPriority(frame))] };
        break;
      case FrameType.continuation:
        this.#continuation(frame);
        break;
      case FrameType.settings:
        if ((frame.flags & Flag.ack) === 0) this.#settings(frame.payload);
        break;
      case FrameType.ping:
        if ((frame.flags & Flag.ack) === 0) this.#write(frameBytes(FrameType.ping, Flag.ack, 0, frame.payload));
        break;
      case FrameType.windowUpdate:
        this.#widen(frame.stream, frame.payload.readUInt32BE(0) & 0x7fffffff);
        break;
      case FrameType.rstStream:
        this.#end(frame.stream, `the server reset the call with code ${frame.payload.readUInt32BE(0)}`);
        break;
      case FrameType.goaway:
        this.#goaway(frame.payload.readUInt32BE(0) & 0x7fffffff, frame.payload.readUInt32BE(4));
        break;
    }
  }

  #data({ stream: id, flags, payload }: Frame): void {
    const stream = this.#streams.get(id);
    if (stream === undefined) return;
    stream.unacknowledged += payload.length;
    if (stream.unacknowledged >= WINDOW_UPDATE_BYTES) {
      this.#write(numberFrame(FrameType.windowUpdate, id, stream.unacknowledged));
      stream.unacknowledged = 0;
    }
    stream.receive(withoutPadding(flags, payload));
    if (stream.ended) this.#remove(stream);
    else if ((flags & Flag.endStream) !== 0) this.#end(id, "the server ended the call without a status");
  }

  #continuation({ flags, payload }: Frame): void {
    if (this.#block === undefined) throw new RangeError("a CONTINUATION frame without a header block");
    const { frame, parts } = this.#block;
    parts.push(Buffer.from(payload));
    if ((flags & Flag.endHeaders) === 0) return;
    this.#block = undefined;
    this.#headers(frame, Buffer.concat(parts));
  }

  /**
   * Handles a complete header block.
   *
   * @param frame the first frame of the block, whose flags say whether the call ends
   */
  #headers({ stream: id, flags }: Frame, block: Buffer): void {
    // Blocks of unknown streams are decoded as well: they may change the table for the following ones.
    const headers = this.#decoder.decode(block);
    const stream = this.#streams.get(id);
    if (stream === undefined || (flags & Flag.endStream) === 0) return;
    stream.endBy(headers);
    this.#remove(stream);
  }

  /**
   * Applies the server's settings. A changed window applies to existing streams as well, also if it becomes negative
   * (RFC 9113, section 6.9.2).
   */
  #settings(payload: Buffer): void {
    for (let at = 0; at + 6 <= payload.length; at += 6) {
      const value = payload.readUInt32BE(at + 2);
      const id = payload.readUInt16BE(at);
      if (id === Setting.maxConcurrentStreams) this.#maxStreams = value;
      else if (id === Setting.initialWindowSize) {
        for (const stream of this.#streams.values()) stream.window += value - this.#firstWindow;
        this.#firstWindow = value;
      }
    }
    this.#write(SETTINGS_ACK);
    for (const stream of this.#streams.values()) this.#send(stream);
    this.#admit();
  }

  #widen(id: number, by: number): void {
    if (id === 0) {
      this.#window += by;
      for (const stream of this.#streams.values()) if (stream.unsent.length > 0) this.#send(stream);
      return;
    }
    const stream = this.#streams.get(id);
    if (stream === undefined) return;
    stream.window += by;
    this.#send(stream);
  }

  #end(id: number, reason: string): void {
    const stream = this.#streams.get(id);
    if (stream === undefined) return;
    stream.end(new GrpcError(GrpcStatus.unavailable, reason));
    this.#remove(stream);
  }

  #remove(stream: GrpcStream): void {
    this.#streams.delete(stream.id);
    if (!this.#usable && this.#streams.size === 0) setImmediate(() => this.#break("the connection was retired"));
    else if (this.#waiting.length > 0) this.#admit();
  }

  /** Handles GOAWAY: the server accepts no more calls on this connection; the accepted ones continue. */
  #goaway(last: number, code: number): void {
    this.#usable = false;
    const reason = `the server sent GOAWAY with code ${code}`;
    for (const id of [...this.#streams.keys()]) if (id > last) this.#end(id, reason);
    this.#refuseWaiting(reason);
    if (this.#streams.size === 0) this.#break(reason);
  }

  #refuseWaiting(reason: string): void {
    for (const stream of this.#waiting.splice(0)) stream.end(new GrpcError(GrpcStatus.unavailable, reason));
  }

  /** Ends the connection and all calls on it. Idempotent. */
  #break(reason: string): void {
    this.#usable = false;
    this.#connected = false;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#output = [];
    this.#dialling.abort();
    this.#socket?.destroy();
    const open = [...this.#streams.values()];
    this.#streams.clear();
    for (const stream of open) stream.end(new GrpcError(GrpcStatus.unavailable, reason));
    this.#refuseWaiting(reason);
  }

  /** Ensures that deadlines and PINGs are checked no later than at `timeMs`. */
  #checkAt(timeMs: number): void {
    if (timeMs >= this.#checkMs) return;
    clearTimeout(this.#timer);
    this.#checkMs = timeMs;
    this.#timer = setTimeout(() => this.#check(), Math.max(1, timeMs - performance.now() + 1));
    this.#timer.unref();
  }

  #check(): void {
    this.#checkMs = Number.POSITIVE_INFINITY;
    const now = performance.now();
    for (const stream of [...this.#waiting, ...this.#streams.values()])
      if (stream.deadlineMs <= now) this.#expire(stream);
    if (this.#connected && !this.#paused) this.#checkAlive(now);
    let next = now + PONG_MS;
    for (const { deadlineMs } of this.#waiting) next = Math.min(next, deadlineMs);
    for (const { deadlineMs } of this.#streams.values()) next = Math.min(next, deadlineMs);
    if (this.#streams.size + this.#waiting.length > 0) this.#checkAt(next);
  }

  /**
   * Ends a call at its deadline. If the server has sent nothing since the call began, the connection is suspected to
   * be dead.
   */
  #expire(stream: GrpcStream): void {
    const silent = this.#receivedMs < stream.startedMs && !this.#paused;
    if (silent) {
      // The connection may be dead or may never be established. The next call uses another one, and the PING makes
      // streams without a deadline fail soon.
      this.#usable = false;
      this.#ping(performance.now());
    }
    this.cancel(stream, new GrpcError(GrpcStatus.deadlineExceeded, "the deadline passed before the response"));
  }

  #checkAlive(now: number): void {
    if (this.#pingedMs > this.#receivedMs) {
      if (now - this.#pingedMs >= PONG_MS) this.#break("the server does not respond");
      return;
    }
    if (now - this.#receivedMs >= PING_MS) this.#ping(now);
  }

  /** Sends a PING, unless one is in flight. */
  #ping(now: number): void {
    if (!this.#connected || this.#pingedMs > this.#receivedMs) return;
    this.#pingedMs = now;
    this.#write(PING);
  }
}
