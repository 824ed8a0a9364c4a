import { describe, expect, test } from "vitest";
import { HeaderEncoder } from "./header-encoder.ts";
import { type Header, HeaderDecoder } from "./hpack.ts";

const encode = (encoder: HeaderEncoder, headers: readonly Header[]): Buffer => Buffer.from(encoder.encode(headers));

const request = (path: string): readonly Header[] => [
  [":method", "POST"],
  [":scheme", "https"],
  [":authority", "127.0.0.1:6443"],
  [":path", path],
  ["authorization", `Bearer ${"t".repeat(600)}`],
  ["accept", "application/json"],
  ["x-twice", "a"],
  ["x-twice", "b"],
  ["content-length", "120"],
];

describe("the headers of a connection's requests", () => {
  test("are decoded as they were, and what they have in common is sent once", () => {
    const encoder = new HeaderEncoder();
    const decoder = new HeaderDecoder();
    const blocks = ["/a", "/b", "/c"].map((path) => encode(encoder, request(path)));
    expect(blocks.map((block) => decoder.decode(block))).toEqual(["/a", "/b", "/c"].map(request));
    expect(blocks.map(({ length }) => length)).toEqual([expect.any(Number), 17, 17]);
  });

  test("are decoded when the table overflows, and when the server wants it smaller", () => {
    const encoder = new HeaderEncoder();
    const decoder = new HeaderDecoder();
    const roundTrip = (headers: readonly Header[]): void =>
      expect(decoder.decode(encode(encoder, headers))).toEqual(headers);
    for (let i = 0; i < 300; i++)
      roundTrip([...request(`/${i}`), ["x-changes", `${i % 70}${"v".repeat(100)}`], ["x-long", "l".repeat(i * 40)]]);
    for (const limit of [900, 2000, 0]) {
      encoder.setLimit(limit);
      for (let i = 0; i < 20; i++) roundTrip(request(`/${limit}/${i}`));
    }
  });

  test.each<Header>([
    ["x", "a\r\nx: y"],
    ["x", "a\0"],
    ["x", "a\n"],
    ["x", "\u0100"],
    ["x y", "a"],
    ["X", "a"],
    ["", "a"],
  ])("cannot contain %j: %j, which changes nothing", (name, value) => {
    const encoder = new HeaderEncoder();
    const decoder = new HeaderDecoder();
    expect(() =>
      encoder.encode([
        ["x-first", "1"],
        [name, value],
      ]),
    ).toThrow(TypeError);
    const headers: readonly Header[] = [["x-first", "1"]];
    expect(decoder.decode(encode(encoder, headers))).toEqual(headers);
  });
});
