/** Frame types of HTTP/2 (RFC 9113 §6) that matter to a client. */
export const FrameType = {
  data: 0,
  headers: 1,
  priority: 2,
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

/** Bytes of the priority of a stream. */
export const PRIORITY_BYTES = 5;
/** Bytes of one setting: its id and its value. */
export const SETTING_BYTES = 6;

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
  const payload = Buffer.alloc(settings.length * SETTING_BYTES);
  for (const [i, [id, value]] of settings.entries()) {
    payload.writeUInt16BE(id, i * SETTING_BYTES);
    payload.writeUInt32BE(value, i * SETTING_BYTES + 2);
  }
  return frameBytes(FrameType.settings, 0, 0, payload);
}

/**
 * The content of a DATA or HEADERS frame without its padding (RFC 9113 §6.1).
 *
 * @throws RangeError if the padding is longer than the frame
 */
export function withoutPadding(flags: number, payload: Buffer): Buffer {
  if ((flags & Flag.padded) === 0) return payload;
  const end = payload.length - payload.readUInt8(0);
  if (end < 1) throw new RangeError("the padding of a frame is longer than the frame");
  return payload.subarray(1, end);
}

/**
 * The header block of a HEADERS frame, without padding and priority (RFC 9113 §6.2).
 *
 * @throws RangeError if the frame is too short for them
 */
export function withoutPriority({ flags, payload }: Frame): Buffer {
  const bytes = withoutPadding(flags, payload);
  if ((flags & Flag.priority) === 0) return bytes;
  if (bytes.length < PRIORITY_BYTES) throw new RangeError("a HEADERS frame is too short for its priority");
  return bytes.subarray(PRIORITY_BYTES);
}
