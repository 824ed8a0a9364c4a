import type { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { assertNever } from "@orchernetes/kernel";
import { eagerChunks } from "./eager-chunks.ts";
import {
  createFrameParser,
  encodeFrame,
  rstStatus,
  SpdyError,
  type SpdyFrame,
  settingInitialWindowSize,
} from "./frames.ts";
import { createHeaderDecoder, createHeaderEncoder, type SpdyHeaders } from "./header-block.ts";
import { SpdyStream } from "./spdy-stream.ts";

/** Role of this side of the connection, and a handler for streams that the peer opens. */
export interface SpdyConnectionOptions {
  readonly role: "client" | "server";
  /** Called for each stream that the peer opens, after it is accepted. Without it, all of them are rejected. */
  readonly onStream?: (stream: SpdyStream) => void;
}

/** A SPDY/3.1 connection on an upgraded socket. */
export interface SpdyConnection {
  /** Opens a stream. Resolves when the peer has accepted it; rejects if the peer rejects it or the connection ends. */
  open(headers: SpdyHeaders): Promise<SpdyStream>;
  /** Sends PING; resolves when the peer has responded. */
  ping(): Promise<void>;
  /** Sends GOAWAY and closes the socket when everything written has been sent. Open streams end. Idempotent. */
  close(): Promise<void>;
  /** Resolves when the connection is closed; to the error if there was one. */
  readonly closed: Promise<Error | undefined>;
}

const defaultWindow = 64 * 1024;
const maxStreams = 4096;
// Small frames let streams take turns: a frame is sent as a whole.
const maxDataBytes = 32 * 1024;
// Replies that may wait to be sent. Frames of a peer that sends and does not read stay unread beyond it.
const maxReplies = 10_000;
// Time for the peer to close the connection after our GOAWAY.
const lingerMs = 1000;

interface Entry {
  readonly stream: SpdyStream;
  sendWindow: number;
  wake: (() => void)[];
  accepted: () => void;
  refused: () => void;
}

/**
 * Runs SPDY/3.1 over `socket`. Flow control is used only if the peer sends SETTINGS or WINDOW_UPDATE: most peers rely
 * on the back-pressure of TCP and send neither, so that waiting for their window updates would stall. Without flow
 * control, a stream with a slow reader blocks the whole connection.
 */
export function createSpdyConnection(socket: Duplex, options: SpdyConnectionOptions): SpdyConnection {
  return new Connection(socket, options);
}

class Connection implements SpdyConnection {
  readonly closed: Promise<Error | undefined>;
  readonly #resolveClosed: (error: Error | undefined) => void;
  readonly #socket: Duplex;
  readonly #options: SpdyConnectionOptions;
  readonly #streams = new Map<number, Entry>();
  readonly #encodeHeaders = createHeaderEncoder();
  readonly #headerDecoder = createHeaderDecoder();
  readonly #pings = new Map<number, () => void>();
  #nextId: number;
  #nextPing: number;
  #lastPeerId = 0;
  /** Frames that have been posted and not sent. */
  #replies = 0;
  #onReplySent: (() => void) | undefined;
  #flowControl = false;
  #initialWindow = defaultWindow;
  #done = false;

  constructor(socket: Duplex, options: SpdyConnectionOptions) {
    const { promise, resolve } = Promise.withResolvers<Error | undefined>();
    this.closed = promise;
    this.#resolveClosed = resolve;
    this.#socket = socket;
    this.#options = options;
    this.#nextId = options.role === "client" ? 1 : 2;
    this.#nextPing = this.#nextId;
    socket.on("error", () => {});
    this.#receive().then(
      () => this.#finish(undefined),
      (error: unknown) => this.#finish(error instanceof SpdyError ? error : undefined),
    );
  }

  async #send(frame: SpdyFrame): Promise<void> {
    if (this.#done) throw connectionReset();
    await new Promise<void>((resolve, reject) => {
      this.#socket.write(encodeFrame(frame), (error) => (error ? reject(error) : resolve()));
    });
  }

  #post(frame: SpdyFrame): void {
    this.#replies += 1;
    this.#send(frame)
      .catch(() => undefined)
      .finally(() => {
        this.#replies -= 1;
        this.#onReplySent?.();
      });
  }

  /** Waits until the peer has taken most replies. */
  async #repliesSent(): Promise<void> {
    while (this.#replies > maxReplies)
      await new Promise<void>((resolve) => {
        this.#onReplySent = resolve;
      });
    this.#onReplySent = undefined;
  }

  async #sendData(id: number, data: Buffer, fin: boolean): Promise<void> {
    for (let at = 0; at < data.length || (at === 0 && fin); ) {
      const entry = this.#streams.get(id);
      if (entry === undefined || this.#done) throw connectionReset();
      if (entry.stream.isReset) return;
      if (this.#flowControl && data.length > 0 && entry.sendWindow <= 0) {
        await new Promise<void>((resolve) => entry.wake.push(resolve));
        continue;
      }
      const room = this.#flowControl ? Math.min(maxDataBytes, Math.max(entry.sendWindow, 0)) : maxDataBytes;
      const part = data.subarray(at, at + room);
      at += part.length;
      entry.sendWindow -= part.length;
      await this.#send({ type: "DATA", streamId: id, data: part, fin: fin && at >= data.length });
      if (data.length === 0) return;
    }
  }

  #add(id: number, headers: SpdyHeaders): Entry {
    const stream = new SpdyStream(id, headers, {
      send: (data, fin) => this.#sendData(id, data, fin),
      reset: () => this.#post({ type: "RST_STREAM", streamId: id, status: rstStatus.cancel }),
      consumed: (bytes) => {
        if (this.#flowControl && bytes > 0) this.#post({ type: "WINDOW_UPDATE", streamId: id, delta: bytes });
      },
    });
    const entry: Entry = { stream, sendWindow: this.#initialWindow, wake: [], accepted: () => {}, refused: () => {} };
    this.#streams.set(id, entry);
    stream.once("close", () => {
      this.#streams.delete(id);
      for (const wake of entry.wake) wake();
    });
    return entry;
  }

  async #handle(frame: SpdyFrame): Promise<void> {
    switch (frame.type) {
      case "SYN_STREAM": {
        const headers = await this.#headerDecoder.decode(frame.headers);
        const ours = frame.streamId % 2 === (this.#options.role === "client" ? 1 : 0);
        if (ours || frame.streamId <= this.#lastPeerId)
          throw new SpdyError(`Cannot open SPDY stream ${frame.streamId}: the id is in use`);
        this.#lastPeerId = frame.streamId;
        if (this.#streams.size >= maxStreams || this.#options.onStream === undefined) {
          this.#post({ type: "RST_STREAM", streamId: frame.streamId, status: rstStatus.refusedStream });
          return;
        }
        const { stream } = this.#add(frame.streamId, headers);
        this.#post({ type: "SYN_REPLY", streamId: frame.streamId, fin: false, headers: this.#encodeHeaders({}) });
        if (frame.fin) await stream.receive(Buffer.alloc(0), true);
        this.#options.onStream(stream);
        return;
      }
      case "SYN_REPLY":
      case "HEADERS": {
        // The block must be decompressed even for an unknown stream, because all blocks share one compression state.
        await this.#headerDecoder.decode(frame.headers);
        const entry = this.#streams.get(frame.streamId);
        entry?.accepted();
        if (frame.fin) await entry?.stream.receive(Buffer.alloc(0), true);
        return;
      }
      case "DATA": {
        const entry = this.#streams.get(frame.streamId);
        if (entry !== undefined) await entry.stream.receive(frame.data, frame.fin);
        else if (!frame.fin)
          this.#post({ type: "RST_STREAM", streamId: frame.streamId, status: rstStatus.invalidStream });
        return;
      }
      case "RST_STREAM":
        this.#resetStream(frame.streamId);
        return;
      case "PING": {
        const waiting = this.#pings.get(frame.id);
        if (waiting === undefined) this.#post(frame);
        else waiting();
        this.#pings.delete(frame.id);
        return;
      }
      case "SETTINGS": {
        const window = frame.settings.get(settingInitialWindowSize);
        if (window !== undefined) {
          this.#flowControl = true;
          for (const entry of this.#streams.values()) this.#grow(entry, window - this.#initialWindow);
          this.#initialWindow = window;
        }
        return;
      }
      case "WINDOW_UPDATE": {
        this.#flowControl = true;
        const entry = this.#streams.get(frame.streamId);
        if (entry !== undefined) this.#grow(entry, frame.delta);
        return;
      }
      case "GOAWAY":
        return;
      default:
        return assertNever(frame);
    }
  }

  #resetStream(id: number): void {
    const entry = this.#streams.get(id);
    entry?.refused();
    entry?.stream.remoteReset();
    for (const wake of entry?.wake.splice(0) ?? []) wake();
  }

  #grow(entry: Entry, delta: number): void {
    entry.sendWindow += delta;
    for (const wake of entry.wake.splice(0)) wake();
  }

  #finish(error: Error | undefined): void {
    if (this.#done) return;
    this.#done = true;
    for (const { stream, wake } of [...this.#streams.values()]) {
      for (const resolve of wake) resolve();
      stream.fail(error ?? connectionReset());
    }
    this.#headerDecoder.close();
    this.#socket.destroy();
    this.#resolveClosed(error);
  }

  async #receive(): Promise<void> {
    const parse = createFrameParser();
    for await (const chunk of eagerChunks(this.#socket)) {
      for (const frame of parse(chunk)) {
        await this.#handle(frame);
        if (this.#replies > maxReplies) await this.#repliesSent();
      }
    }
  }

  async open(headers: SpdyHeaders): Promise<SpdyStream> {
    const id = this.#nextId;
    this.#nextId += 2;
    const entry = this.#add(id, headers);
    const { stream } = entry;
    const accepted = new Promise<void>((resolve, reject) => {
      entry.accepted = resolve;
      entry.refused = () => reject(new Error(`Cannot open SPDY stream ${id}: rejected by the peer`));
      stream.once("close", entry.refused);
    });
    accepted.catch(() => undefined);
    await this.#send({ type: "SYN_STREAM", streamId: id, fin: false, headers: this.#encodeHeaders(headers) });
    await accepted;
    return stream;
  }

  async ping(): Promise<void> {
    const id = this.#nextPing;
    this.#nextPing += 2;
    const responded = new Promise<void>((resolve) => this.#pings.set(id, resolve));
    await this.#send({ type: "PING", id });
    await responded;
  }

  async close(): Promise<void> {
    if (this.#done) return;
    await this.#send({ type: "GOAWAY", lastStreamId: this.#lastPeerId, status: 0 }).catch(() => undefined);
    await new Promise<void>((resolve) => {
      if (this.#socket.writableEnded || this.#socket.destroyed) resolve();
      else this.#socket.end(() => resolve());
    });
    // Destroying a socket with unread data resets the connection, which may lose the last output for the peer. Let it
    // close first.
    await Promise.race([this.closed, sleep(lingerMs, undefined, { ref: false })]);
    this.#finish(undefined);
  }
}

function connectionReset(): Error {
  return Object.assign(new Error("SPDY stream was reset"), { code: "ECONNRESET" });
}
