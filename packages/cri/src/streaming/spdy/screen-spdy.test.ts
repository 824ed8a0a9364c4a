import { expect, test } from "vitest";
import { createFrameParser, encodeFrame, type SpdyFrame } from "./frames.ts";
import { createHeaderDecoder, createHeaderEncoder } from "./header-block.ts";
import { createSpdyScreen } from "./screen-spdy.ts";

/** What the screen passes on of these bytes, which arrive in chunks of a size. */
async function screened(bytes: Buffer, size = bytes.length): Promise<Buffer> {
  const screen = createSpdyScreen();
  const passed: Buffer[] = [];
  screen.on("data", (part: Buffer) => passed.push(part));
  const ended = new Promise<void>((resolve, reject) => screen.on("end", resolve).on("error", reject));
  for (let at = 0; at < bytes.length; at += size) screen.write(bytes.subarray(at, at + size));
  screen.end();
  await ended;
  return Buffer.concat(passed);
}

const withoutHeaders: readonly SpdyFrame[] = [
  { type: "SETTINGS", settings: new Map([[7, 65536]]) },
  { type: "PING", id: 4 },
  { type: "DATA", streamId: 1, fin: false, data: Buffer.from("hello") },
  { type: "DATA", streamId: 1, fin: true, data: Buffer.alloc(0) },
  { type: "RST_STREAM", streamId: 1, status: 5 },
  { type: "GOAWAY", lastStreamId: 9, status: 0 },
];

test.each([1, 3, 7, 1000])("valid frames, in chunks of %i bytes, are passed on in order", async (size) => {
  const encode = createHeaderEncoder();
  const headers = [{ streamtype: "stdin" }, { streamtype: "stdout", port: "80" }];
  const streams = headers.map(
    (of, index): SpdyFrame => ({
      ...{ type: "SYN_STREAM", streamId: index * 2 + 1, fin: index === 1, headers: encode(of) },
    }),
  );
  const [first, second] = streams;
  if (first === undefined || second === undefined) throw new Error("there are two streams");
  const sent = [first, ...withoutHeaders, second];
  const found = createFrameParser()(await screened(Buffer.concat(sent.map(encodeFrame)), size));
  const decoder = createHeaderDecoder();
  const seen: object[] = [];
  for (const frame of found) if ("headers" in frame) seen.push(await decoder.decode(frame.headers));
  expect(seen).toEqual(headers);
  expect(found.map(({ type }) => type)).toEqual(sent.map(({ type }) => type));
  expect(found.slice(1, -1)).toEqual(withoutHeaders);
});

test("data is passed on before its frame is complete", async () => {
  const screen = createSpdyScreen();
  const passed: string[] = [];
  screen.on("data", (part: Buffer) => passed.push(part.toString("hex")));
  screen.write(Buffer.from("0000000100ffffff6869", "hex"));
  await expect.poll(() => passed.join("")).toBe("0000000100ffffff6869");
  screen.destroy();
});

/** A frame that opens a stream, with a header block of these bytes before compression. */
const openWith = (plain: string): string => {
  const bytes = Buffer.from(plain, "hex");
  const block = Buffer.alloc(5);
  block.writeUInt16LE(bytes.length, 1);
  block.writeUInt16LE(~bytes.length & 0xffff, 3);
  const start = createHeaderEncoder()({}).subarray(0, 6);
  const headers = Buffer.concat([start, block, bytes, Buffer.from([0, 0, 0, 0xff, 0xff])]);
  return encodeFrame({ type: "SYN_STREAM", streamId: 1, fin: false, headers }).toString("hex");
};

test.each([
  ["SETTINGS with four billion entries", "8003000400000004ffffffff"],
  ["a header block with four billion headers", openWith("ffffffff")],
  ["a header name of four billion bytes", openWith("00000001ffffffff61")],
  ["a control frame of 16 MiB", "8003000100ffffff"],
  ["another version", "8002000600000004"],
])("%s are not passed on, and fail the stream", async (_, hex) => {
  const screen = createSpdyScreen();
  let passed = 0;
  screen.on("data", (part: Buffer) => {
    passed += part.length;
  });
  const failed = new Promise<Error>((resolve) => screen.on("error", resolve));
  screen.write(Buffer.from(hex, "hex"));
  expect(await failed).toMatchObject({ name: "SpdyError" });
  expect(passed).toBe(0);
});
