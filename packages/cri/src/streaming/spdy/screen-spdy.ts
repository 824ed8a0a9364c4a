import { Transform } from "node:stream";
import { createFrameParser, encodeFrame, type SpdyFrame } from "./frames.ts";
import { createHeaderDecoder, createHeaderEncoder } from "./header-block.ts";

const headBytes = 8;

/**
 * Creates a stream for one direction of a SPDY connection that passes on valid frames only. Control frames are decoded and encoded again,
 * because other readers allocate what a frame claims to contain: with a few bytes, a client of containerd 1.6 makes it run out of memory and
 * end. Data is passed on as it arrives.
 *
 * The stream fails with SpdyError for an invalid frame.
 */
export function createSpdyScreen(): Transform {
  const decoder = createHeaderDecoder();
  const encode = createHeaderEncoder();
  /** The beginning of a frame of which more must be read. */
  let begun: Buffer = Buffer.alloc(0);
  /** Bytes that are left of the payload of a data frame. */
  let dataLeft = 0;

  const safe = async (frame: SpdyFrame): Promise<Buffer> => {
    if (!("headers" in frame)) return encodeFrame(frame);
    return encodeFrame({ ...frame, headers: encode(await decoder.decode(frame.headers)) });
  };

  /** Takes the next part from the bytes: some data, or a frame. @returns what is left; undefined if more must be read */
  const take = async (bytes: Buffer, pass: (part: Buffer) => void): Promise<Buffer | undefined> => {
    if (dataLeft > 0) {
      const part = bytes.subarray(0, dataLeft);
      dataLeft -= part.length;
      if (part.length > 0) pass(part);
      return bytes.subarray(part.length);
    }
    if (bytes.length < headBytes) return undefined;
    const length = bytes.readUIntBE(5, 3);
    if (bytes.readUInt8(0) < 0x80) {
      dataLeft = length;
      pass(bytes.subarray(0, headBytes));
      return bytes.subarray(headBytes);
    }
    const end = headBytes + length;
    // A parser of its own, which rejects a frame that is too long by its head.
    for (const frame of createFrameParser()(bytes.subarray(0, end))) pass(await safe(frame));
    return bytes.length < end ? undefined : bytes.subarray(end);
  };

  const pass = async (chunk: Buffer, push: (part: Buffer) => void): Promise<void> => {
    let rest: Buffer | undefined = begun.length === 0 ? chunk : Buffer.concat([begun, chunk]);
    begun = Buffer.alloc(0);
    while (rest !== undefined && rest.length > 0) {
      const left: Buffer | undefined = await take(rest, push);
      if (left === undefined) begun = rest;
      rest = left;
    }
  };

  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      pass(chunk, (part) => this.push(part)).then(() => done(), done);
    },
    destroy(error, done) {
      decoder.close();
      done(error);
    },
  });
}
