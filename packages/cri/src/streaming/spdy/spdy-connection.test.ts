import { Duplex } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { encodeFrame, type SpdyFrame } from "./frames.ts";
import { createHeaderEncoder } from "./header-block.ts";
import { createSpdyConnection, type SpdyConnectionOptions } from "./spdy-connection.ts";
import type { SpdyStream } from "./spdy-stream.ts";

/** A socket whose peer reads when `flush` is called. */
function heldSocket() {
  let held: (() => void)[] = [];
  let sent = 0;
  const socket = new Duplex({
    read() {},
    write(_chunk, _encoding, callback) {
      sent += 1;
      held.push(callback);
    },
  });
  const flush = () => {
    const ready = held;
    held = [];
    for (const callback of ready) callback();
    return ready.length;
  };
  return { socket, flush, sent: () => sent };
}

/** A connection on which the peer has sent these bytes; the peer reads. */
function connectionWith(bytes: Buffer, options: Partial<SpdyConnectionOptions> = {}) {
  const socket = new Duplex({ read() {}, write: (_chunk, _encoding, callback) => callback() });
  const connection = createSpdyConnection(socket, { role: "server", ...options });
  socket.push(bytes);
  return { socket, connection };
}

test("replies to a peer that does not read are limited, and follow when it does", async () => {
  const { socket, flush, sent } = heldSocket();
  createSpdyConnection(socket, { role: "server" });
  const pings = Array.from({ length: 50_000 }, (_, index) => encodeFrame({ type: "PING", id: index * 2 + 1 }));
  socket.push(Buffer.concat(pings));
  for (let turn = 0; turn < 10; turn++) await setImmediate();
  expect(socket.writableLength).toBeLessThan(12 * 10_100);
  while (sent() < 50_000) {
    flush();
    await setImmediate();
  }
  socket.destroy();
});

const headers = createHeaderEncoder()({ streamtype: "data" });
const open = (streamId: number, block = headers): Buffer =>
  encodeFrame({ type: "SYN_STREAM", streamId, fin: false, headers: block });

const twice = createHeaderEncoder();
test.each<[string, Buffer]>([
  ["an id that only this side may use", open(2)],
  ["an id that is in use", Buffer.concat([open(3, twice({})), open(3, twice({}))])],
  ["stream 0", open(0)],
  ["a header block that is no zlib stream", open(1, Buffer.from("nonsense"))],
  ["a header block without its content", open(1, headers.subarray(0, 20))],
  ["another version", Buffer.from("8002000600000004" + "00000001", "hex")],
  ["a control frame of 16 MB", Buffer.from("8003000100ffffff", "hex")],
])("%s ends the connection", async (_, bytes) => {
  const { socket, connection } = connectionWith(bytes, { onStream: (stream) => void stream.resume() });
  expect((await connection.closed)?.name).toBe("SpdyError");
  expect(socket.destroyed).toBe(true);
});

test.each<[string, readonly SpdyFrame[]]>([
  ["data of an unknown stream", [{ type: "DATA", streamId: 77, fin: false, data: Buffer.from("x") }]],
  ["the end of an unknown stream", [{ type: "DATA", streamId: 77, fin: true, data: Buffer.alloc(0) }]],
  ["a reset of an unknown stream", [{ type: "RST_STREAM", streamId: 77, status: 5 }]],
  ["a window of an unknown stream", [{ type: "WINDOW_UPDATE", streamId: 77, delta: 1 }]],
  [
    "windows beyond their limit",
    Array.from({ length: 10 }, () => ({ type: "WINDOW_UPDATE", streamId: 1, delta: 0x7fffffff }) as const),
  ],
  ["a window of 4 GB for new streams", [{ type: "SETTINGS", settings: new Map([[7, 0xffffffff]]) }]],
  ["no window for new streams", [{ type: "SETTINGS", settings: new Map([[7, 0]]) }]],
  ["GOAWAY", [{ type: "GOAWAY", lastStreamId: 0, status: 1 }]],
  ["a reply to a stream that was not opened", [{ type: "RST_STREAM", streamId: 2, status: 1 }]],
])("%s does not disturb the streams of the connection", async (_, frames) => {
  const streams: SpdyStream[] = [];
  const more = frames.map(encodeFrame);
  const data = encodeFrame({ type: "DATA", streamId: 1, fin: true, data: Buffer.from("hello") });
  const { socket } = connectionWith(Buffer.concat([open(1), ...more, data]), {
    onStream: (stream) => void streams.push(stream),
  });
  await expect.poll(() => streams.length).toBe(1);
  let text = "";
  for await (const chunk of streams[0] ?? []) text += String(chunk);
  expect(text).toBe("hello");
  socket.destroy();
});

test("of thousands of streams those beyond the limit are refused", async () => {
  const encode = createHeaderEncoder();
  const frames = Array.from({ length: 5000 }, (_, index) => open(index * 2 + 1, encode({ streamtype: "data" })));
  let opened = 0;
  const { socket, connection } = connectionWith(Buffer.concat(frames), {
    onStream: () => {
      opened += 1;
    },
  });
  await expect.poll(() => opened, { timeout: 10_000 }).toBe(4096);
  socket.push(null);
  expect(await connection.closed).toBeUndefined();
  expect(opened).toBe(4096);
});
