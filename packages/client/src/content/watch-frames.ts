import { DecodeError, readWatchFrame, type WatchFrame } from "@orchernetes/apimachinery";
import { ByteQueue } from "./byte-queue.ts";

/** Bytes of a frame's length, which come first. */
const prefixBytes = 4;
/**
 * Limit of a frame in bytes, as of a line of JSON: objects are limited to a few megabytes. It protects the process from a server that
 * announces a frame and never ends it.
 */
export const maxFrameBytes = 64 * 1024 * 1024;

/** Splits the bytes of a protobuf watch into its frames, wherever the chunks end. */
export class WatchFrames {
  readonly #bytes = new ByteQueue();

  push(chunk: Buffer): void {
    this.#bytes.push(chunk);
  }

  /**
   * The next frame; undefined if it has not arrived.
   *
   * @throws RangeError for a length beyond 64 MiB, before the frame arrives; DecodeError for one that is malformed
   */
  next(): WatchFrame | undefined {
    if (this.#bytes.length < prefixBytes) return undefined;
    const length = this.#bytes.peek(prefixBytes).readUInt32BE();
    if (length > maxFrameBytes) throw new RangeError(`a frame of ${length} bytes; want at most ${maxFrameBytes}`);
    if (length === 0) throw new DecodeError("proto: an empty frame");
    if (this.#bytes.length < prefixBytes + length) return undefined;
    return readWatchFrame(this.#bytes.take(prefixBytes + length).subarray(prefixBytes));
  }
}
