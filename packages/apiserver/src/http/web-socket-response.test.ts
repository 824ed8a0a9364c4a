import { Duplex } from "node:stream";
import { expect, test } from "vitest";
import type { HttpRequest } from "../interfaces/index.ts";
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

test("pings of a client that does not read are not answered without end", async () => {
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
