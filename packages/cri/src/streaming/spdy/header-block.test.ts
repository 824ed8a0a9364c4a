import { constants, createDeflate, type Deflate, deflateSync, inflateSync } from "node:zlib";
import { expect, test } from "vitest";
import { dictionaryId, headerDictionary } from "./dictionary.ts";
import { createHeaderDecoder, createHeaderEncoder, type SpdyHeaders } from "./header-block.ts";

test("the dictionary has the checksum every SPDY/3 peer expects", () => {
  let low = 1;
  let high = 0;
  for (const byte of headerDictionary()) {
    low = (low + byte) % 65521;
    high = (high + low) % 65521;
  }
  expect(high * 65536 + low).toBe(dictionaryId);
});

test("blocks of one connection decode in order", async () => {
  const encode = createHeaderEncoder();
  const decoder = createHeaderDecoder();
  const blocks: SpdyHeaders[] = [{ streamtype: "stdin" }, {}, { streamtype: "data", port: "80", requestid: "0" }];
  for (const block of blocks) expect(await decoder.decode(encode(block))).toEqual(block);
  decoder.close();
});

test("encoded blocks are a zlib stream with the preset dictionary", () => {
  const block = createHeaderEncoder()({ a: "b" });
  const plain = inflateSync(block, { dictionary: headerDictionary(), finishFlush: constants.Z_SYNC_FLUSH });
  expect(plain.toString("hex")).toBe("00000001000000016100000001" + "62");
});

test("compressed blocks of a peer decode", async () => {
  const deflate = createDeflate({ dictionary: headerDictionary() });
  const decoder = createHeaderDecoder();
  for (const value of ["one", "two"]) {
    const plain = Buffer.from(`0000000100000004686f737400000003${Buffer.from(value).toString("hex")}`, "hex");
    deflate.write(plain);
    const block = await flush(deflate);
    expect(await decoder.decode(block)).toEqual({ host: value });
  }
  decoder.close();
  deflate.destroy();
});

test("a block that inflates to over 64 KB is rejected", async () => {
  const deflate = createDeflate({ dictionary: headerDictionary() });
  deflate.write(Buffer.alloc(1024 * 1024));
  const block = await flush(deflate);
  const decoder = createHeaderDecoder();
  await expect(decoder.decode(block)).rejects.toThrow(/over 65536 bytes/);
  await expect(decoder.decode(block)).rejects.toThrow(/over 65536 bytes/);
  deflate.destroy();
});

test("what follows the end of the compressed data is rejected", async () => {
  const plain = Buffer.from("00000001000000016100000001" + "62", "hex");
  const complete = deflateSync(plain, { dictionary: headerDictionary() });
  const decoder = createHeaderDecoder();
  expect(await decoder.decode(complete)).toEqual({ a: "b" });
  await expect(decoder.decode(complete)).rejects.toThrow(/the compressed data ends/);
  const trailing = createHeaderDecoder().decode(Buffer.concat([complete, Buffer.from("more")]));
  await expect(trailing).rejects.toThrow(/the compressed data ends/);
});

test("garbage is rejected", async () => {
  await expect(createHeaderDecoder().decode(Buffer.from("not zlib"))).rejects.toThrow(/Cannot read SPDY headers/);
});

async function flush(deflate: Deflate): Promise<Buffer> {
  const parts: Buffer[] = [];
  const collect = (part: Buffer) => parts.push(part);
  deflate.on("data", collect);
  await new Promise<void>((resolve) => deflate.flush(constants.Z_SYNC_FLUSH, () => setImmediate(resolve)));
  deflate.off("data", collect);
  return Buffer.concat(parts);
}
