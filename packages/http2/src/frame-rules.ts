import { Flag, type Frame, FrameType, PRIORITY_BYTES, SETTING_BYTES } from "./frames.ts";

/** The bytes of the frames that have a fixed length. */
const LENGTHS: ReadonlyMap<number, number> = new Map([
  [FrameType.priority, PRIORITY_BYTES],
  [FrameType.rstStream, 4],
  [FrameType.ping, 8],
  [FrameType.windowUpdate, 4],
]);
/** The last stream that the server has accepted, and an error code. */
const GOAWAY_BYTES = 8;

/**
 * Checks the length of a frame, and whether it belongs to a stream or to the connection (RFC 9113, section 6).
 *
 * @throws RangeError for a frame that no server may send
 */
export function checkFrame({ type, flags, stream, payload }: Frame): void {
  switch (type) {
    case FrameType.data:
    case FrameType.headers:
    case FrameType.continuation:
      needsStream(type, stream);
      return;
    case FrameType.rstStream:
    case FrameType.priority:
      needsStream(type, stream);
      break;
    case FrameType.settings:
      needsConnection(type, stream);
      if ((flags & Flag.ack) !== 0 ? payload.length > 0 : payload.length % SETTING_BYTES !== 0)
        throw wrongLength(type, payload);
      return;
    case FrameType.goaway:
      needsConnection(type, stream);
      if (payload.length < GOAWAY_BYTES) throw wrongLength(type, payload);
      return;
    case FrameType.ping:
      needsConnection(type, stream);
      break;
    case FrameType.pushPromise:
      throw new RangeError("a PUSH_PROMISE, which was disabled");
  }
  const length = LENGTHS.get(type);
  if (length !== undefined && payload.length !== length) throw wrongLength(type, payload);
}

function needsStream(type: number, stream: number): void {
  if (stream === 0) throw new RangeError(`a frame of type ${type} without a stream`);
}

function needsConnection(type: number, stream: number): void {
  if (stream !== 0) throw new RangeError(`a frame of type ${type} of a stream`);
}

const wrongLength = (type: number, payload: Buffer): RangeError =>
  new RangeError(`a frame of type ${type} has ${payload.length} bytes`);
