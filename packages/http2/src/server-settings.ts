import { FIRST_WINDOW, MAX_WINDOW } from "./flow-control.ts";
import { FRAME_BYTES, SETTING_BYTES, Setting } from "./frames.ts";

/** The largest payload of a frame that a server may announce (RFC 9113, section 4.2). */
const MAX_FRAME_BYTES = 2 ** 24 - 1;

/** What the server's SETTINGS frames say. */
export class ServerSettings {
  /** Streams that the server accepts at the same time. */
  maxStreams = Number.POSITIVE_INFINITY;
  /** The window with which streams start. */
  streamWindow = FIRST_WINDOW;
  /** Bytes of the header table that the last frame announced. */
  tableBytes: number | undefined;

  /**
   * Reads the payload of a SETTINGS frame.
   *
   * @returns by how much the windows of the existing streams change
   * @throws RangeError for a value that is not allowed
   */
  read(payload: Buffer): number {
    const before = this.streamWindow;
    this.tableBytes = undefined;
    for (let at = 0; at + SETTING_BYTES <= payload.length; at += SETTING_BYTES)
      this.#set(payload.readUInt16BE(at), payload.readUInt32BE(at + 2));
    return this.streamWindow - before;
  }

  #set(id: number, value: number): void {
    switch (id) {
      case Setting.headerTableSize:
        // The smallest one of a frame has to be announced (RFC 7541, section 4.2).
        this.tableBytes = Math.min(value, this.tableBytes ?? value);
        break;
      case Setting.enablePush:
        if (value !== 0) throw new RangeError("a server that allows pushes");
        break;
      case Setting.maxConcurrentStreams:
        this.maxStreams = value;
        break;
      case Setting.initialWindowSize:
        if (value > MAX_WINDOW) throw new RangeError(`a window of ${value} bytes`);
        this.streamWindow = value;
        break;
      case Setting.maxFrameSize:
        if (value < FRAME_BYTES || value > MAX_FRAME_BYTES) throw new RangeError(`frames of ${value} bytes`);
        break;
    }
  }
}
