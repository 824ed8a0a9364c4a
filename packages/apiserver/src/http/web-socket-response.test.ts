import { Duplex } from "node:stream";
import type { HttpRequest } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import { messageFrame, opcodes } from "./web-socket-frames.ts";
import { WebSocketResponse } from "./web-socket-response.ts";

const handshake = {
  headers: { "sec-websocket-version": "13", "sec-websocket-key": "AQIDBAUGBwgJCgsMDQ4PEA==" },
} as unknown as HttpRequest;

/** A client that reads what is written as long as `reads` holds. */
class Client extends Duplex {
  reads = true;
  readonly received: Buffer[] = [];
  #waiting: (() => void)[] = [];

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.received.push(chunk);
    if (this.reads) done();
    else this.#waiting.push(done);
  }

  readOn(): void {
    this.reads = true;
    for (const done of this.#waiting.splice(0)) done();
  }
}

/** A client's frame: with a mask, of zeros. */
function masked(opcode: number, payload: Buffer): Buffer {
  const frame = messageFrame(opcode, payload);
  return Buffer.concat([Buffer.of(frame[0] ?? 0, (frame[1] ?? 0) | 0x80), Buffer.alloc(4), payload]);
}

const turn = () => new Promise((resolve) => setImmediate(resolve));
const pings = Buffer.concat(Array.from({ length: 1000 }, () => masked(opcodes.ping, Buffer.alloc(125))));

test("a client that does not read gets no unlimited number of pongs", async () => {
  const client = new Client();
  const response = new WebSocketResponse(handshake, client, "events");
  response.writeHead(200);
  await turn();
  client.reads = false;
  for (let i = 0; i < 20; i++) {
    client.push(pings);
    await turn();
  }
  expect(client.writableLength).toBeLessThanOrEqual(client.writableHighWaterMark + 127);
  client.readOn();
  await turn();
  const before = client.received.length;
  client.push(masked(opcodes.ping, Buffer.from("a")));
  await turn();
  expect(client.received.slice(before)).toEqual([messageFrame(opcodes.pong, Buffer.from("a"))]);
  response.destroy();
});

test.each([
  ["base64url.bearer.authorization.o8s.io.c2VjcmV0, chat", "sec-websocket-protocol: chat"],
  ["chat, base64url.bearer.authorization.k8s.io.c2VjcmV0", "sec-websocket-protocol: chat"],
  ["base64url.bearer.authorization.o8s.io.c2VjcmV0", undefined],
])("the answer to %s repeats no token", async (asked, want) => {
  const client = new Client();
  const headers = { ...handshake.headers, "sec-websocket-protocol": asked };
  new WebSocketResponse({ headers } as unknown as HttpRequest, client, "events").writeHead(200);
  await turn();
  const lines = Buffer.concat(client.received).toString("latin1").toLowerCase().split("\r\n");
  expect(lines.find((line) => line.startsWith("sec-websocket-protocol:"))).toBe(want);
});

test.each([
  [200, "all of it"],
  [404, "not found"],
])(
  "what was written with status %d arrives at a client that reads slowly, and then the connection ends",
  async (status, text) => {
    const client = new Client();
    client.reads = false;
    const response = new WebSocketResponse(handshake, client, "bytes");
    response.writeHead(status);
    response.end(text);
    for (let i = 0; i < 20; i++) {
      await turn();
      client.readOn();
      client.reads = false;
    }
    const received = Buffer.concat(client.received).toString("latin1");
    expect(received).toContain(text);
    if (status === 200) expect(received.endsWith(Buffer.of(0x88, 2, 0x03, 0xe8).toString("latin1"))).toBe(true);
    expect(client.destroyed).toBe(true);
  },
);
