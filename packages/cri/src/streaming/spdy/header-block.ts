import { constants, createInflate } from "node:zlib";
import { dictionaryId, headerDictionary } from "./dictionary.ts";
import { SpdyError } from "./frames.ts";

/** Headers of a SPDY stream; names in lower case. */
export type SpdyHeaders = Readonly<Record<string, string>>;

const maxPlainBytes = 64 * 1024;

/**
 * Creates the encoder for one direction of a connection. Its blocks are a zlib stream of stored deflate blocks,
 * without compression: all readers accept them, they cost no time, and they do not permit guessing of secrets by size
 * (CRIME, CVE-2012-4929).
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
    // The empty block at the end is that of a sync flush; readers hold data back until they get it.
    const parts = [first ? start : Buffer.alloc(0), block, plain, Buffer.from([0, 0, 0, 0xff, 0xff])];
    first = false;
    return Buffer.concat(parts);
  };
}

/** Decodes header blocks, which must be passed in the order of their arrival. */
export interface HeaderDecoder {
  /** Decodes one block. @throws SpdyError if it is invalid, or above 64 KB after decompression */
  decode(block: Buffer): Promise<SpdyHeaders>;
  close(): void;
}

/** Creates the decoder for one direction of a connection: all blocks are parts of one zlib stream. */
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
  // What follows the end is never read, and nothing tells that the block was decoded.
  inflate.on("end", () =>
    stop(new SpdyError("Cannot read SPDY headers: the compressed data ends before its connection")),
  );
  inflate.on("error", (error) => stop(new SpdyError(`Cannot read SPDY headers: ${error.message}`, { cause: error })));
  return {
    async decode(block) {
      parts = [];
      bytes = 0;
      await new Promise<void>((resolve, reject) => {
        if (failed !== undefined) return reject(failed);
        fail = reject;
        inflate.write(block);
        // Queued after the write: when the flush is done, all output of the block has been emitted.
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
    // NUL separates several values of one header.
    headers.set(name, text().split("\0")[0] ?? "");
  }
  return Object.fromEntries(headers);
}

function length(value: number): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32BE(value);
  return buffer;
}
