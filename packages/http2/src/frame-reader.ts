import { FRAME_BYTES, FRAME_HEAD, type Frame } from "./frames.ts";

const NOTHING = Buffer.alloc(0);

/** Splits a byte stream into frames. It holds at most one incomplete frame. */
export class FrameReader {
  #bytes: Buffer = NOTHING;
  #at = 0;

  /** Adds what was received; {@link next} then returns the frames that are complete with it. */
  add(chunk: Buffer): void {
    const rest = this.#bytes.subarray(this.#at);
    this.#bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    this.#at = 0;
  }

  /**
   * The next complete frame.
   *
   * @throws RangeError for a frame larger than {@link FRAME_BYTES}
   */
  next(): Frame | undefined {
    const bytes = this.#bytes;
    const at = this.#at;
    if (bytes.length - at < FRAME_HEAD) return this.#wait();
    const length = bytes.readUIntBE(at, 3);
    if (length > FRAME_BYTES) throw new RangeError(`a frame has ${length} bytes`);
    const end = at + FRAME_HEAD + length;
    if (end > bytes.length) return this.#wait();
    this.#at = end;
    return {
      type: bytes.readUInt8(at + 3),
      flags: bytes.readUInt8(at + 4),
      stream: bytes.readUInt32BE(at + 5) & 0x7fffffff,
      payload: bytes.subarray(at + FRAME_HEAD, end),
    };
  }

  /** Waits for more; a chunk that has been read is not kept. */
  #wait(): undefined {
    if (this.#at === this.#bytes.length) {
      this.#bytes = NOTHING;
      this.#at = 0;
    }
    return undefined;
  }
}
