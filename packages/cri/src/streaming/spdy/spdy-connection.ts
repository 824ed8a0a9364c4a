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

/** Which side of the connection this is, and what to do with streams the peer opens. */
export interface SpdyConnectionOptions {
  readonly role: "client" | "server";
  /** Called for each stream the peer opens, after it was accepted. */
  readonly onStream?: (stream: SpdyStream) => void;
}

/** A SPDY/3.1 connection on an upgraded socket. */
export interface SpdyConnection {
  /** Opens a stream; resolves when the peer accepted it, rejects when it was refused or the connection ended. */
  open(headers: SpdyHeaders): Promise<SpdyStream>;
  /** Sends PING; resolves with the answer. */
  ping(): Promise<void>;
  /** Sends GOAWAY and closes the socket once everything written has left. Open streams end. */
  close(): Promise<void>;
  /** Resolves when the connection is gone, with the error if there was one. */
  readonly closed: Promise<Error | undefined>;
}

const defaultWindow = 64 * 1024;
const maxStreams = 4096;
const maxDataBytes = 32 * 1024;
const lingerMs = 1000;

interface Entry {
  readonly stream: SpdyStream;
  sendWindow: number;
  wake: (() => void)[];
  accepted: () => void;
  refused: () => void;
}

/**
 * Runs SPDY/3.1 over `socket`. Flow control windows are kept only with a peer that shows it keeps them, by sending
 * SETTINGS or WINDOW_UPDATE: the peers met in practice rely on the back-pressure of TCP and answer neither. A stream
 * whose reader is slow therefore holds back the whole connection.
 */
export function createSpdyConnection(socket: Duplex, options: SpdyConnectionOptions): SpdyConnection {
  const streams = new Map<number, Entry>();
  const encodeHeaders = createHeaderEncoder();
  const headerDecoder = createHeaderDecoder();
  const pings = new Map<number, () => void>();
  let nextId = options.role === "client" ? 1 : 2;
  let nextPing = options.role === "client" ? 1 : 2;
  let lastPeerId = 0;
  let flowControl = false;
  let initialWindow = defaultWindow;
  let done = false;
  let resolveClosed: (error: Error | undefined) => void = () => {};
  const closed = new Promise<Error | undefined>((resolve) => {
    resolveClosed = resolve;
  });

  async function send(frame: SpdyFrame): Promise<void> {
    if (done) throw connectionReset();
    await new Promise<void>((resolve, reject) => {
      socket.write(encodeFrame(frame), (error) => (error ? reject(error) : resolve()));
    });
  }

  function post(frame: SpdyFrame): void {
    send(frame).catch(() => undefined);
  }

  async function sendData(id: number, data: Buffer, fin: boolean): Promise<void> {
    for (let at = 0; at < data.length || (at === 0 && fin); ) {
      const entry = streams.get(id);
      if (entry === undefined || done) throw connectionReset();
      if (entry.stream.isReset) return;
      if (flowControl && data.length > 0 && entry.sendWindow <= 0) {
        await new Promise<void>((resolve) => entry.wake.push(resolve));
        continue;
      }
      const room = flowControl ? Math.min(maxDataBytes, Math.max(entry.sendWindow, 0)) : maxDataBytes;
      const part = data.subarray(at, at + room);
      at += part.length;
      entry.sendWindow -= part.length;
      await send({ type: "DATA", streamId: id, data: part, fin: fin && at >= data.length });
      if (data.length === 0) return;
    }
  }

  function add(id: number, headers: SpdyHeaders): Entry {
    const stream = new SpdyStream(id, headers, {
      send: (data, fin) => sendData(id, data, fin),
      reset: () => post({ type: "RST_STREAM", streamId: id, status: rstStatus.cancel }),
      consumed: (bytes) => {
        if (flowControl && bytes > 0) post({ type: "WINDOW_UPDATE", streamId: id, delta: bytes });
      },
    });
    const entry: Entry = { stream, sendWindow: initialWindow, wake: [], accepted: () => {}, refused: () => {} };
    streams.set(id, entry);
    stream.once("close", () => {
      streams.delete(id);
      for (const wake of entry.wake) wake();
    });
    return entry;
  }

  async function handle(frame: SpdyFrame): Promise<void> {
    switch (frame.type) {
      case "SYN_STREAM": {
        const headers = await headerDecoder.decode(frame.headers);
        const ours = frame.streamId % 2 === (options.role === "client" ? 1 : 0);
        if (ours || frame.streamId <= lastPeerId)
          throw new SpdyError(`Cannot open SPDY stream ${frame.streamId}: id is taken`);
        lastPeerId = frame.streamId;
        if (streams.size >= maxStreams || options.onStream === undefined) {
          post({ type: "RST_STREAM", streamId: frame.streamId, status: rstStatus.refusedStream });
          return;
        }
        const { stream } = add(frame.streamId, headers);
        post({ type: "SYN_REPLY", streamId: frame.streamId, fin: false, headers: encodeHeaders({}) });
        if (frame.fin) await stream.receive(Buffer.alloc(0), true);
        options.onStream(stream);
        return;
      }
      case "SYN_REPLY":
      case "HEADERS": {
        // Even for an unknown stream the block must be inflated: all blocks share one compression state.
        await headerDecoder.decode(frame.headers);
        const entry = streams.get(frame.streamId);
        entry?.accepted();
        if (frame.fin) await entry?.stream.receive(Buffer.alloc(0), true);
        return;
      }
      case "DATA": {
        const entry = streams.get(frame.streamId);
        if (entry !== undefined) await entry.stream.receive(frame.data, frame.fin);
        else if (!frame.fin) post({ type: "RST_STREAM", streamId: frame.streamId, status: rstStatus.invalidStream });
        return;
      }
      case "RST_STREAM":
        resetStream(frame.streamId);
        return;
      case "PING": {
        const waiting = pings.get(frame.id);
        if (waiting === undefined) post(frame);
        else waiting();
        pings.delete(frame.id);
        return;
      }
      case "SETTINGS": {
        const window = frame.settings.get(settingInitialWindowSize);
        if (window !== undefined) {
          flowControl = true;
          for (const entry of streams.values()) grow(entry, window - initialWindow);
          initialWindow = window;
        }
        return;
      }
      case "WINDOW_UPDATE": {
        flowControl = true;
        const entry = streams.get(frame.streamId);
        if (entry !== undefined) grow(entry, frame.delta);
        return;
      }
      case "GOAWAY":
        return;
      default:
        return assertNever(frame);
    }
  }

  function resetStream(id: number): void {
    const entry = streams.get(id);
    entry?.refused();
    entry?.stream.remoteReset();
    for (const wake of entry?.wake.splice(0) ?? []) wake();
  }

  function grow(entry: Entry, delta: number): void {
    entry.sendWindow += delta;
    for (const wake of entry.wake.splice(0)) wake();
  }

  function finish(error: Error | undefined): void {
    if (done) return;
    done = true;
    for (const { stream, wake } of [...streams.values()]) {
      for (const resolve of wake) resolve();
      stream.fail(error ?? connectionReset());
    }
    headerDecoder.close();
    socket.destroy();
    resolveClosed(error);
  }

  async function receive(): Promise<void> {
    const parse = createFrameParser();
    for await (const chunk of eagerChunks(socket)) {
      for (const frame of parse(chunk)) await handle(frame);
    }
  }

  socket.on("error", () => {});
  receive().then(
    () => finish(undefined),
    (error: unknown) => finish(error instanceof SpdyError ? error : undefined),
  );

  return {
    closed,
    async open(headers) {
      const id = nextId;
      nextId += 2;
      const entry = add(id, headers);
      const { stream } = entry;
      const accepted = new Promise<void>((resolve, reject) => {
        entry.accepted = resolve;
        entry.refused = () => reject(new Error(`Cannot open SPDY stream ${id}: refused by the peer`));
        stream.once("close", entry.refused);
      });
      accepted.catch(() => undefined);
      await send({ type: "SYN_STREAM", streamId: id, fin: false, headers: encodeHeaders(headers) });
      await accepted;
      return stream;
    },
    async ping() {
      const id = nextPing;
      nextPing += 2;
      const answered = new Promise<void>((resolve) => pings.set(id, resolve));
      await send({ type: "PING", id });
      await answered;
    },
    async close() {
      if (done) return;
      await send({ type: "GOAWAY", lastStreamId: lastPeerId, status: 0 }).catch(() => undefined);
      await new Promise<void>((resolve) => {
        if (socket.writableEnded || socket.destroyed) resolve();
        else socket.end(() => resolve());
      });
      // Destroying a socket with unread data resets it, which may cost the peer the last output: let it close first.
      await Promise.race([closed, sleep(lingerMs, undefined, { ref: false })]);
      finish(undefined);
    },
  };
}

function connectionReset(): Error {
  return Object.assign(new Error("SPDY stream was reset"), { code: "ECONNRESET" });
}
