import { assertNever } from "@orchernetes/kernel";
/** Frames of SPDY/3.1. Header blocks are still compressed. */
export type SpdyFrame =
  | { readonly type: "SYN_STREAM"; readonly streamId: number; readonly fin: boolean; readonly headers: Buffer }
  | { readonly type: "SYN_REPLY"; readonly streamId: number; readonly fin: boolean; readonly headers: Buffer }
  | { readonly type: "HEADERS"; readonly streamId: number; readonly fin: boolean; readonly headers: Buffer }
  | { readonly type: "RST_STREAM"; readonly streamId: number; readonly status: number }
  | { readonly type: "SETTINGS"; readonly settings: ReadonlyMap<number, number> }
  | { readonly type: "PING"; readonly id: number }
  | { readonly type: "GOAWAY"; readonly lastStreamId: number; readonly status: number }
  | { readonly type: "WINDOW_UPDATE"; readonly streamId: number; readonly delta: number }
  | { readonly type: "DATA"; readonly streamId: number; readonly fin: boolean; readonly data: Buffer };

/** Status codes of RST_STREAM. */
export const rstStatus = { protocolError: 1, invalidStream: 2, refusedStream: 3, cancel: 5, internalError: 6 } as const;

/** SETTINGS id of the initial window of new streams. */
export const settingInitialWindowSize = 7;

/** The peer has violated the protocol, so the connection has to be closed. */
export class SpdyError extends Error {
  override readonly name = "SpdyError";
}

const types = {
  SYN_STREAM: 1,
  SYN_REPLY: 2,
  RST_STREAM: 3,
  SETTINGS: 4,
  PING: 6,
  GOAWAY: 7,
  HEADERS: 8,
  WINDOW_UPDATE: 9,
} as const;
const version = 0x8003;
const flagFin = 1;
const id31 = 0x7fffffff;
const maxControlBytes = 64 * 1024;

/** The bytes of a frame (SPDY/3 draft, section 2.2). */
export function encodeFrame(frame: SpdyFrame): Buffer {
  switch (frame.type) {
    case "DATA": {
      const head = Buffer.alloc(8);
      head.writeUInt32BE(frame.streamId & id31, 0);
      head.writeUInt32BE(frame.data.length, 4);
      head.writeUInt8(frame.fin ? flagFin : 0, 4);
      return Buffer.concat([head, frame.data]);
    }
    case "SYN_STREAM":
      // Stream id, no associated stream, priority and slot 0.
      return control(
        frame.type,
        frame.fin,
        Buffer.concat([uint32s(frame.streamId, 0), Buffer.alloc(2), frame.headers]),
      );
    case "SYN_REPLY":
    case "HEADERS":
      return control(frame.type, frame.fin, Buffer.concat([uint32s(frame.streamId), frame.headers]));
    case "RST_STREAM":
      return control(frame.type, false, uint32s(frame.streamId, frame.status));
    case "SETTINGS":
      return control(frame.type, false, uint32s(frame.settings.size, ...[...frame.settings].flat()));
    case "PING":
      return control(frame.type, false, uint32s(frame.id));
    case "GOAWAY":
      return control(frame.type, false, uint32s(frame.lastStreamId, frame.status));
    case "WINDOW_UPDATE":
      return control(frame.type, false, uint32s(frame.streamId, frame.delta));
    default:
      return assertNever(frame);
  }
}

/**
 * Creates a parser that splits a byte stream into frames. Frames of unknown types are dropped, as the specification
 * demands.
 *
 * @returns a function that takes the next bytes and returns the frames that are now complete. It throws SpdyError for
 *   a version other than 3, and for a control frame that is too short or above 64 KB
 */
export function createFrameParser(): (chunk: Buffer) => SpdyFrame[] {
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  let needed = 8;
  return (chunk) => {
    pending.push(chunk);
    pendingBytes += chunk.length;
    const frames: SpdyFrame[] = [];
    while (pendingBytes >= needed) {
      // Concatenated only when a frame is complete: `needed` keeps a large frame in many chunks from being copied
      // once per chunk.
      const buffer = pending.length === 1 && pending[0] ? pending[0] : Buffer.concat(pending);
      const total = 8 + buffer.readUIntBE(5, 3);
      if (isControl(buffer)) checkControl(buffer, total);
      if (buffer.length < total) {
        pending = [buffer];
        needed = total;
        break;
      }
      const frame = decode(buffer.subarray(0, total));
      if (frame !== undefined) frames.push(frame);
      pending = [buffer.subarray(total)];
      pendingBytes = buffer.length - total;
      needed = 8;
    }
    return frames;
  };
}

function isControl(buffer: Buffer): boolean {
  return buffer.readUInt8(0) >= 0x80;
}

function checkControl(buffer: Buffer, total: number): void {
  const found = buffer.readUInt16BE(0);
  if (found !== version) throw new SpdyError(`Cannot read SPDY frame: version ${found & 0x7fff}, must be 3`);
  if (total > maxControlBytes) throw new SpdyError(`Cannot read SPDY frame: control frame of ${total} bytes`);
}

function decode(frame: Buffer): SpdyFrame | undefined {
  const fin = (frame.readUInt8(4) & flagFin) !== 0;
  const body = frame.subarray(8);
  if (!isControl(frame)) return { type: "DATA", streamId: frame.readUInt32BE(0), fin, data: body };
  const type = frame.readUInt16BE(2);
  const word = (index: number): number => {
    if (body.length < index * 4 + 4)
      throw new SpdyError(`Cannot read SPDY frame of type ${type}: only ${body.length} bytes`);
    return body.readUInt32BE(index * 4);
  };
  const id = (index: number): number => word(index) & id31;
  switch (type) {
    case types.SYN_STREAM:
      return { type: "SYN_STREAM", streamId: id(0), fin, headers: body.subarray(10) };
    case types.SYN_REPLY:
      return { type: "SYN_REPLY", streamId: id(0), fin, headers: body.subarray(4) };
    case types.HEADERS:
      return { type: "HEADERS", streamId: id(0), fin, headers: body.subarray(4) };
    case types.RST_STREAM:
      return { type: "RST_STREAM", streamId: id(0), status: word(1) };
    case types.PING:
      return { type: "PING", id: word(0) };
    case types.GOAWAY:
      return { type: "GOAWAY", lastStreamId: id(0), status: word(1) };
    case types.WINDOW_UPDATE:
      return { type: "WINDOW_UPDATE", streamId: id(0), delta: id(1) };
    case types.SETTINGS: {
      const settings = new Map<number, number>();
      for (let entry = 0; entry < word(0); entry++) settings.set(word(1 + entry * 2) & 0xffffff, word(2 + entry * 2));
      return { type: "SETTINGS", settings };
    }
    default:
      return undefined;
  }
}

function control(type: keyof typeof types, fin: boolean, body: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt16BE(version, 0);
  head.writeUInt16BE(types[type], 2);
  head.writeUInt32BE(body.length, 4);
  head.writeUInt8(fin ? flagFin : 0, 4);
  return Buffer.concat([head, body]);
}

function uint32s(...values: number[]): Buffer {
  const buffer = Buffer.alloc(values.length * 4);
  values.forEach((value, index) => {
    buffer.writeUInt32BE(value >>> 0, index * 4);
  });
  return buffer;
}
