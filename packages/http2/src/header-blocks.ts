import { Flag, FRAME_HEAD, type Frame, FrameType, withoutPriority } from "./frames.ts";
import { type Header, HeaderDecoder } from "./hpack.ts";

/** The header of a response, or its trailers. */
export interface HeaderList {
  readonly stream: number;
  readonly isEnd: boolean;
  readonly fields: readonly Header[];
}

/** Bytes of a header block in several frames. */
const MAX_BLOCK = 256 * 1024;

/** Assembles and decodes the header blocks of a connection. */
export class HeaderBlocks {
  readonly #decoder = new HeaderDecoder();
  /** A block that is not complete: its first frame, whose flags say whether the response ends, and copies of its parts. */
  #begun: { readonly frame: Frame; readonly parts: Buffer[]; bytes: number } | undefined;

  /**
   * Reads a HEADERS or CONTINUATION frame. Blocks of unknown streams have to be read as well: they may change the table for the following
   * ones.
   *
   * @returns the fields, when the block is complete
   * @throws RangeError for a block that is malformed or too large
   */
  read(frame: Frame): HeaderList | undefined {
    const isComplete = (frame.flags & Flag.endHeaders) !== 0;
    if (frame.type === FrameType.headers) {
      const part = withoutPriority(frame);
      if (isComplete) return this.#decoded(frame, part);
      // A copy, because the rest may arrive with another read.
      this.#begun = { frame, parts: [Buffer.from(part)], bytes: part.length };
      return undefined;
    }
    const begun = this.#begun;
    if (begun === undefined) throw new RangeError("a CONTINUATION frame without a header block");
    begun.parts.push(Buffer.from(frame.payload));
    // An empty frame costs something, too.
    begun.bytes += frame.payload.length + FRAME_HEAD;
    if (begun.bytes > MAX_BLOCK) throw new RangeError(`a header block has more than ${MAX_BLOCK} bytes`);
    if (!isComplete) return undefined;
    this.#begun = undefined;
    return this.#decoded(begun.frame, Buffer.concat(begun.parts));
  }

  /** @throws RangeError for any frame but the next one of a block that is not complete */
  check({ type, stream }: Frame): void {
    if (this.#begun === undefined) return;
    if (type !== FrameType.continuation || stream !== this.#begun.frame.stream)
      throw new RangeError("a header block was cut off");
  }

  #decoded({ stream, flags }: Frame, block: Buffer): HeaderList {
    return { stream, isEnd: (flags & Flag.endStream) !== 0, fields: this.#decoder.decode(block) };
  }
}
