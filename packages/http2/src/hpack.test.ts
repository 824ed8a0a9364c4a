import { once } from "node:events";
import { createServer } from "node:http2";
import { type AddressInfo, connect } from "node:net";
import { describe, expect, test } from "vitest";
import { FrameReader } from "./frame-reader.ts";
import { Flag, FrameType, frameBytes, PREFACE, settingsFrame } from "./frames.ts";
import { encodeHeaders, type Header, HeaderDecoder } from "./hpack.ts";
import { decodeHuffman } from "./huffman.ts";

const printable = Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i)).join("");
const latin1 = Array.from({ length: 96 }, (_, i) => String.fromCharCode(160 + i)).join("");

/** The header blocks that Node's own HTTP/2 server makes of these answers, over one connection. */
async function blocksOf(answers: readonly Readonly<Record<string, string>>[]): Promise<readonly Buffer[]> {
  let next = 0;
  const server = createServer((_, response) => {
    response.writeHead(200, answers[next++]);
    response.end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const request = encodeHeaders([
    [":method", "GET"],
    [":scheme", "http"],
    [":path", `/${"long".repeat(100)}`],
    [":authority", "localhost"],
  ]);
  socket.write(PREFACE);
  socket.write(settingsFrame([]));
  const send = (id: number) =>
    socket.write(frameBytes(FrameType.headers, Flag.endHeaders | Flag.endStream, id, request));
  const reader = new FrameReader();
  const blocks: Buffer[] = [];
  send(1);
  for await (const chunk of socket) {
    reader.add(chunk as Buffer);
    for (let frame = reader.next(); frame !== undefined; frame = reader.next()) {
      if (frame.type !== FrameType.headers) continue;
      blocks.push(Buffer.from(frame.payload));
      if (blocks.length < answers.length) send(blocks.length * 2 + 1);
    }
    if (blocks.length === answers.length) break;
  }
  server.close();
  return blocks;
}

describe("header blocks", () => {
  test("of another implementation are decoded: Huffman codes, indexes, and a table that overflows", async () => {
    const answers = [
      { "x-all": `a${printable}z`, "grpc-status": "0" },
      { "x-all": `a${printable}z`, "grpc-status": "0" },
      ...Array.from({ length: 60 }, (_, i) => ({ "x-long": `${i}-${"v".repeat(150)}`, "grpc-status": String(i % 3) })),
      { "x-all": `again ${latin1}${latin1}`, "grpc-status": "0" },
    ];
    const decoder = new HeaderDecoder();
    const blocks = await blocksOf(answers);
    const decoded = blocks.map((block) => Object.fromEntries(decoder.decode(block)));
    expect(decoded.map(({ date: _, ...rest }) => rest)).toEqual(
      answers.map((answer) => ({ ":status": "200", ...answer })),
    );
  });

  test.each<{ name: string; headers: readonly Header[] }>([
    { name: "none", headers: [] },
    {
      name: "some",
      headers: [
        ["te", "trailers"],
        [":path", "/a"],
      ],
    },
    {
      name: "long values",
      headers: [
        ["x", "y".repeat(126)],
        ["x", "y".repeat(127)],
        ["x", "y".repeat(40_000)],
      ],
    },
  ])("encoded and decoded: $name", ({ headers }) => {
    expect(new HeaderDecoder().decode(encodeHeaders(headers))).toEqual(headers);
  });

  test.each([
    { name: "an index of nothing", block: [0xff, 0x10] },
    { name: "an index of zero", block: [0x80] },
    { name: "a string beyond the end", block: [0x00, 0x05, 0x61] },
    { name: "an endless integer", block: [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff] },
    { name: "a table larger than agreed", block: [0x3f, 0xff, 0x7f] },
    { name: "a cut Huffman code", block: [0x00, 0x81, 0xfe, 0x00] },
  ])("refused: $name", ({ block }) => {
    expect(() => new HeaderDecoder().decode(Buffer.from(block))).toThrow(RangeError);
  });

  test("of the alphabet have codes of each length: those of RFC 7541, appendix B", () => {
    const bits = (text: string): Buffer => {
      const padded = text.padEnd(Math.ceil(text.length / 8) * 8, "1");
      return Buffer.from(padded.match(/.{8}/g)?.map((byte) => Number.parseInt(byte, 2)) ?? []);
    };
    const codes: readonly (readonly [character: number, code: string])[] = [
      [1, "11111111111111111011000"],
      [10, "111111111111111111111111111100"],
      [9, "111111111111111111101010"],
      [127, "1111111111111111111111111100"],
      [128, "11111111111111100110"],
      [195, "1111111111111110001"],
      [199, "1111111111111111111101100"],
      [203, "111111111111111111111011110"],
      [220, "1111111111111111111111111101"],
      [255, "11111111111111111111101110"],
    ];
    for (const [character, code] of codes) expect(decodeHuffman(bits(code))).toBe(String.fromCharCode(character));
  });

  test("of the example in RFC 7541, section C.4.1, are decoded", () => {
    expect(decodeHuffman(Buffer.from("f1e3c2e5f23a6ba0ab90f4ff", "hex"))).toBe("www.example.com");
  });
});
