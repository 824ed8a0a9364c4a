import { FrameReader } from "./frame-reader.ts";
import { checkFrame } from "./frame-rules.ts";
import { Flag, type Frame, FrameType } from "./frames.ts";

/** Reads the frames of a server, and checks what can be said of each alone. */
export class IncomingFrames {
  readonly #reader = new FrameReader();
  #hasBegun = false;

  add(chunk: Buffer): void {
    this.#reader.add(chunk);
  }

  /**
   * The next complete frame.
   *
   * @throws RangeError for one that no server may send
   */
  next(): Frame | undefined {
    const frame = this.#reader.next();
    if (frame === undefined) return undefined;
    if (!this.#hasBegun) {
      // RFC 9113, section 3.4.
      if (frame.type !== FrameType.settings || (frame.flags & Flag.ack) !== 0)
        throw new RangeError("the server does not begin with its settings");
      this.#hasBegun = true;
    }
    checkFrame(frame);
    return frame;
  }
}
