/** Frame types of HTTP/2 (RFC 9113 §6) that matter to a client. */
export const FrameType = {
  data: 0,
  headers: 1,
  rstStream: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goaway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;

/** Flags of frames. */
export const Flag = { ack: 0x1, endStream: 0x1, endHeaders: 0x4, padded: 0x8, priority: 0x20 } as const;

/** Settings that a client sends or respects. */
export const Setting = {
  headerTableSize: 1,
  enablePush: 2,
  maxConcurrentStreams: 3,
  initialWindowSize: 4,
  maxFrameSize: 5,
} as const;

/** Bytes of the header of a frame. */
export const FRAME_HEAD = 9;

/**
 * The largest payload of a frame in bytes (SETTINGS_MAX_FRAME_SIZE) unless a peer changes it, which this client does
 * not.
 */
export const FRAME_BYTES = 16_384;

/** The connection preface of clients (RFC 9113 §3.4). */
export const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "latin1");

/** One frame. */
export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  /** A view into what was received. */
  readonly payload: Buffer;
}

/** Writes the header of a frame at `at` and returns the offset after it. */
export function writeFrameHead(
  target: Buffer,
  at: number,
  length: number,
  type: number,
  flags: number,
  stream: number,
): number {
  target.writeUIntBE(length, at, 3);
  target[at + 3] = type;
  target[at + 4] = flags;
  target.writeUInt32BE(stream, at + 5);
  return at + FRAME_HEAD;
}

/** A whole frame. */
export function frameBytes(type: number, flags: number, stream: number, payload: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(FRAME_HEAD + payload.length);
  bytes.set(payload, writeFrameHead(bytes, 0, payload.length, type, flags, stream));
  return bytes;
}

/** A frame whose payload is one 32-bit number: WINDOW_UPDATE or RST_STREAM. */
export function numberFrame(type: number, stream: number, value: number): Buffer {
  const bytes = Buffer.allocUnsafe(FRAME_HEAD + 4);
  bytes.writeUInt32BE(value, writeFrameHead(bytes, 0, 4, type, 0, stream));
  return bytes;
}

/** A SETTINGS frame. */
export function settingsFrame(settings: readonly (readonly [id: number, value: number])[]): Buffer {
  const payload = Buffer.alloc(settings.length * 6);
  for (const [i, [id, value]] of settings.entries()) {
    payload.writeUInt16BE(id, i * 6);
    payload.writeUInt32BE(value, i * 6 + 2);
  }
  return frameBytes(FrameType.settings, 0, 0, payload);
}

/** Splits a byte stream into frames. */
export class FrameReader {
  #rest: Buffer | undefined;

  /**
   * The frames that are complete with these bytes.
   * @throws RangeError for a frame larger than {@link FRAME_BYTES}
   */
  *read(chunk: Buffer): Generator<Frame> {
    const bytes = this.#rest === undefined ? chunk : Buffer.concat([this.#rest, chunk]);
    this.#rest = undefined;
    let at = 0;
    while (bytes.length - at >= FRAME_HEAD) {
      const length = bytes.readUIntBE(at, 3);
      if (length > FRAME_BYTES) throw new RangeError(`a frame has ${length} bytes`);
      const end = at + FRAME_HEAD + length;
      if (end > bytes.length) break;
      yield {
        type: bytes.readUInt8(at + 3),
        flags: bytes.readUInt8(at + 4),
        stream: bytes.readUInt32BE(at + 5) & 0x7fffffff,
        payload: bytes.subarray(at + FRAME_HEAD, end),
      };
      at = end;
    }
    if (at < bytes.length) this.#rest = bytes.subarray(at);
  }
}

/** The content of a DATA or HEADERS frame without its padding (RFC 9113 §6.1). */
export function withoutPadding(flags: number, payload: Buffer): Buffer {
  if ((flags & Flag.padded) === 0) return payload;
  return payload.subarray(1, payload.length - payload.readUInt8(0));
}

/** The header block of a HEADERS frame, without padding and priority (RFC 9113 §6.2). */
export function withoutPriority({ flags, payload }: Frame): Buffer {
  const bytes = withoutPadding(flags, payload);
  return (flags & Flag.priority) === 0 ? bytes : bytes.subarray(5);
}
