import { constants, createInflate } from "node:zlib";
import { dictionaryId, headerDictionary } from "./dictionary.ts";
import { SpdyError } from "./frames.ts";

/** Headers of a SPDY stream; names in lower case. */
export type SpdyHeaders = Readonly<Record<string, string>>;

const maxPlainBytes = 64 * 1024;

/**
 * Makes the encoder of one direction of a connection. Blocks are a zlib stream of stored (not compressed) deflate
 * blocks: valid for every reader, and neither slow nor open to CRIME-like guessing.
 */
export function createHeaderEncoder(): (headers: SpdyHeaders) => Buffer {
  let first = true;
  return (headers) => {
    const plain = encodePairs(headers);
    const block = Buffer.alloc(5);
    block.writeUInt16LE(plain.length, 1);
    block.writeUInt16LE(~plain.length & 0xffff, 3);
    // CMF 0x78, FLG 0xbb: deflate with a preset dictionary.
    const start = Buffer.from([0x78, 0xbb, 0, 0, 0, 0]);
    start.writeUInt32BE(dictionaryId, 2);
    // The empty block at the end is what a sync flush writes; readers hold data back until they see it.
    const parts = [first ? start : Buffer.alloc(0), block, plain, Buffer.from([0, 0, 0, 0xff, 0xff])];
    first = false;
    return Buffer.concat(parts);
  };
}

/** Decodes header blocks, which must be given in the order they arrive. */
export interface HeaderDecoder {
  /** @throws SpdyError when the block is not valid, or over 64 KB when inflated */
  decode(block: Buffer): Promise<SpdyHeaders>;
  close(): void;
}

/** Makes the decoder of one direction of a connection: all blocks are one zlib stream. */
export function createHeaderDecoder(): HeaderDecoder {
  const inflate = createInflate({ dictionary: headerDictionary() });
  let parts: Buffer[] = [];
  let bytes = 0;
  let failed: Error | undefined;
  let fail: (error: Error) => void = () => {};
  const stop = (error: Error) => {
    failed ??= error;
    inflate.destroy();
    fail(failed);
  };
  inflate.on("data", (part: Buffer) => {
    parts.push(part);
    bytes += part.length;
    if (bytes > maxPlainBytes) stop(new SpdyError(`Cannot read SPDY headers: over ${maxPlainBytes} bytes`));
  });
  inflate.on("error", (error) => stop(new SpdyError(`Cannot read SPDY headers: ${error.message}`, { cause: error })));
  return {
    async decode(block) {
      parts = [];
      bytes = 0;
      await new Promise<void>((resolve, reject) => {
        if (failed !== undefined) return reject(failed);
        fail = reject;
        inflate.write(block);
        // Queued behind the write: when it is done, all output of the block has been emitted.
        inflate.flush(constants.Z_SYNC_FLUSH, () => setImmediate(resolve));
      });
      return decodePairs(Buffer.concat(parts));
    },
    close() {
      inflate.destroy();
    },
  };
}

function encodePairs(headers: SpdyHeaders): Buffer {
  const pairs = Object.entries(headers);
  const parts = [length(pairs.length)];
  for (const text of pairs.flat()) {
    const bytes = Buffer.from(text);
    parts.push(length(bytes.length), bytes);
  }
  return Buffer.concat(parts);
}

function decodePairs(plain: Buffer): SpdyHeaders {
  let at = 0;
  const take = (size: number): Buffer => {
    if (at + size > plain.length) throw new SpdyError("Cannot read SPDY headers: block ends in the middle of a header");
    at += size;
    return plain.subarray(at - size, at);
  };
  const text = () => take(take(4).readUInt32BE(0)).toString("utf8");
  const headers = new Map<string, string>();
  for (let left = take(4).readUInt32BE(0); left > 0; left--) {
    const name = text().toLowerCase();
    // Several values of one header are separated by NUL.
    headers.set(name, text().split("\0")[0] ?? "");
  }
  return Object.fromEntries(headers);
}

function length(value: number): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32BE(value);
  return buffer;
}
