import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { Duplex } from "node:stream";
import { afterAll, beforeAll, expect, test } from "vitest";
import { WebSocket } from "ws";
import { webSocketChannels } from "./websocket-channels.ts";
import { acceptWebSocket } from "./websocket-upgrade.ts";

let server: Server;
const accepted: ((webSocket: WebSocket | undefined) => void)[] = [];
beforeAll(async () => {
  server = createServer().listen(0, "127.0.0.1");
  server.on("upgrade", (request, socket, head) => {
    void acceptWebSocket({ request, socket, head }, "").then((webSocket) => accepted.shift()?.(webSocket));
  });
  await once(server, "listening");
});
afterAll(() => void server.close());

const port = (): number => (server.address() as AddressInfo).port;
const nextAccepted = (): Promise<WebSocket | undefined> => new Promise((resolve) => void accepted.push(resolve));

/** The two ends of a WebSocket. */
async function pair(): Promise<{ readonly client: WebSocket; readonly server: WebSocket }> {
  const found = nextAccepted();
  const client = new WebSocket(`ws://127.0.0.1:${port()}/`);
  client.on("error", () => undefined);
  await once(client, "open");
  const webSocket = await found;
  if (webSocket === undefined) throw new Error("the WebSocket was not accepted");
  return { client, server: webSocket };
}

/** A connection whose request was sent together with more bytes. */
function dialRaw(more: Buffer): Socket {
  const socket = connect(port(), "127.0.0.1");
  socket.on("error", () => undefined);
  const head =
    "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" +
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
  socket.write(Buffer.concat([Buffer.from(head), more]));
  return socket;
}

/** A frame with a mask of zeros. */
function frame(first: number, payload: Buffer): Buffer {
  const long = payload.length > 125;
  const head = Buffer.alloc(long ? 8 : 6);
  head.writeUInt8(first, 0);
  head.writeUInt8(0x80 | (long ? 126 : payload.length), 1);
  if (long) head.writeUInt16BE(payload.length, 2);
  return Buffer.concat([head, payload]);
}

const options = { base64: false, closeSignal: true, inputs: new Set([0, 4]), lines: new Set([4]) };
const kib = 1024;

test("what a client sends on the channels of outputs is dropped", async () => {
  const { client, server: webSocket } = await pair();
  const channels = webSocketChannels(webSocket, [0, 1, 2, 3, 4], options);
  const messages = new Promise<void>((resolve) => {
    let left = 3 * 32 + 1;
    webSocket.on("message", () => {
      left -= 1;
      if (left === 0) resolve();
    });
  });
  for (const number of [1, 2, 3])
    for (let i = 0; i < 32; i++) client.send(Buffer.concat([Buffer.from([number]), Buffer.alloc(64 * kib)]));
  client.send(Buffer.from([9, 1, 2]));
  await messages;
  expect([...channels.values()].map(({ readableLength }) => readableLength)).toEqual([0, 0, 0, 0, 0]);
  client.terminate();
});

test("input that nobody reads yet is held up to a limit, and then arrives", async () => {
  const { client, server: webSocket } = await pair();
  const stdin = webSocketChannels(webSocket, [0, 1, 3], options).get(0);
  for (let i = 0; i < 64; i++) client.send(Buffer.concat([Buffer.from([0]), Buffer.alloc(64 * kib)]));
  await expect.poll(() => webSocket.isPaused).toBe(true);
  expect(stdin?.readableLength).toBeLessThanOrEqual(1088 * kib);
  let bytes = 0;
  stdin?.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
  });
  await expect.poll(() => bytes).toBe(64 * 64 * kib);
  client.terminate();
});

test("a message that came with the request is read, also if the caller listens later", async () => {
  const found = nextAccepted();
  const socket = dialRaw(frame(0x82, Buffer.from("\0early")));
  const webSocket = await found;
  await new Promise((resolve) => setImmediate(resolve));
  const stdin = webSocket && webSocketChannels(webSocket, [0, 1, 3], options).get(0);
  expect(String((await once(stdin ?? new Duplex(), "data"))[0])).toBe("early");
  socket.destroy();
});

test.each([
  ["a frame without a mask", Buffer.from([0x82, 1, 0])],
  ["a control frame of 126 bytes", frame(0x89, Buffer.alloc(126))],
  ["a control frame in fragments", frame(0x09, Buffer.from("x"))],
  ["reserved bits", frame(0xf2, Buffer.from("x"))],
  ["an unknown opcode", frame(0x83, Buffer.from("x"))],
  ["a continuation of nothing", frame(0x80, Buffer.from("x"))],
  ["a message within fragments", Buffer.concat([frame(0x02, Buffer.from("x")), frame(0x82, Buffer.from("y"))])],
  ["a length of 2^63 bytes", Buffer.from("82ff80000000000000000000000000", "hex")],
  ["a message of a gigabyte", Buffer.from("82ff000000004000000000000000", "hex")],
  ["a text that is not UTF-8", frame(0x81, Buffer.from([0xff, 0xfe]))],
  ["a close frame of one byte", frame(0x88, Buffer.from("x"))],
])("%s ends the connection, also if it came with the request", async (_, bytes) => {
  const end = async (early: boolean): Promise<void> => {
    const found = nextAccepted();
    const socket = dialRaw(early ? bytes : Buffer.alloc(0));
    const webSocket = await found;
    if (webSocket === undefined) throw new Error("the WebSocket was not accepted");
    const channels = webSocketChannels(webSocket, [0, 1, 3], options);
    const closed = new Promise<void>((resolve) => void webSocket.once("close", () => resolve()));
    if (!early) socket.write(bytes);
    await closed;
    for (const channel of channels.values()) channel.resume();
    await expect.poll(() => [...channels.values()].every(({ readableEnded }) => readableEnded)).toBe(true);
    socket.destroy();
  };
  await end(true);
  await end(false);
});

test("a client that pings without reading does not fill the memory", async () => {
  const found = nextAccepted();
  const socket = dialRaw(Buffer.alloc(0));
  const webSocket = await found;
  if (webSocket === undefined) throw new Error("the WebSocket was not accepted");
  webSocketChannels(webSocket, [0, 1, 3], options);
  let pings = 0;
  webSocket.on("ping", () => {
    pings += 1;
  });
  socket.pause();
  const ping = frame(0x89, Buffer.alloc(125));
  const many = Buffer.concat(Array.from({ length: 1000 }, () => ping));
  for (let i = 0; i < 200; i++) socket.write(many);
  await expect.poll(() => pings, { timeout: 20_000 }).toBe(200_000);
  expect(webSocket.bufferedAmount).toBeLessThan(128 * kib);
  socket.destroy();
}, 30_000);

test("a connection that is gone is not waited for", async () => {
  const socket = new Duplex({ read() {} });
  socket.destroy();
  const request = { method: "GET", headers: { upgrade: "websocket" } } as unknown as IncomingMessage;
  expect(await acceptWebSocket({ request, socket, head: Buffer.alloc(0) }, "")).toBeUndefined();
});
