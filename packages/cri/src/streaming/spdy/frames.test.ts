import { expect, test } from "vitest";
import { createFrameParser, encodeFrame, type SpdyFrame } from "./frames.ts";

const frames: [SpdyFrame, string][] = [
  [
    { type: "SYN_STREAM", streamId: 1, fin: false, headers: Buffer.from("ab") },
    "800300010000000c0000000100000000000061" + "62",
  ],
  [{ type: "SYN_REPLY", streamId: 1, fin: true, headers: Buffer.from("c") }, "80030002010000050000000163"],
  [{ type: "HEADERS", streamId: 2, fin: false, headers: Buffer.from("c") }, "80030008000000050000000263"],
  [{ type: "RST_STREAM", streamId: 3, status: 5 }, "80030003000000080000000300000005"],
  [{ type: "SETTINGS", settings: new Map([[7, 65536]]) }, "800300040000000c000000010000000700010000"],
  [{ type: "PING", id: 4 }, "800300060000000400000004"],
  [{ type: "GOAWAY", lastStreamId: 9, status: 0 }, "80030007000000080000000900000000"],
  [{ type: "WINDOW_UPDATE", streamId: 1, delta: 1024 }, "80030009000000080000000100000400"],
  [{ type: "DATA", streamId: 5, fin: true, data: Buffer.from("hi") }, "00000005010000026869"],
  [{ type: "DATA", streamId: 5, fin: false, data: Buffer.alloc(0) }, "0000000500000000"],
];

test.each(frames)("%o has its wire form", (frame, hex) => {
  expect(encodeFrame(frame).toString("hex")).toBe(hex);
  expect(createFrameParser()(Buffer.from(hex, "hex"))).toEqual([frame]);
});

test.each([1, 3, 7, 1000])("frames are found in chunks of %i bytes", (size) => {
  const bytes = Buffer.concat(frames.map(([frame]) => encodeFrame(frame)));
  const parse = createFrameParser();
  const found: SpdyFrame[] = [];
  for (let at = 0; at < bytes.length; at += size) found.push(...parse(bytes.subarray(at, at + size)));
  expect(found).toEqual(frames.map(([frame]) => frame));
});

test("a frame of unknown type is dropped", () => {
  const ping = encodeFrame({ type: "PING", id: 2 });
  const unknown = Buffer.from("80030055000000020102", "hex");
  expect(createFrameParser()(Buffer.concat([unknown, ping]))).toEqual([{ type: "PING", id: 2 }]);
});

test.each([
  ["SPDY/2", "8002000600000004", /version 2/],
  ["an HTTP/2 preface read as a control frame", "d052492a20485454", /version/],
  ["a huge control frame", "8003000100ffffff", /16777223 bytes/],
  ["a short RST_STREAM", "800300030000000400000001", /only 4 bytes/],
  ["SETTINGS with fewer entries than said", "8003000400000004ffffffff", /only 4 bytes/],
])("%s is refused", (_, hex, message) => {
  expect(() => createFrameParser()(Buffer.from(hex, "hex"))).toThrow(message);
});
