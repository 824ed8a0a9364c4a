import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { createCriClient } from "./create-cri-client.ts";

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

/** Serves connections on a socket: the server answers when the request has arrived. */
async function serve(answer: (socket: Socket) => unknown): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), "o8s-hostile-"));
  const endpoint = join(dir, "cri.sock");
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let received = Buffer.alloc(0);
    let isAnswered = false;
    socket.on("error", () => undefined).write(frame(4, 0, 0));
    socket.on("data", (data: Buffer) => {
      received = Buffer.concat([received, data]);
      if (isAnswered || !hasRequest(received)) return;
      isAnswered = true;
      answer(socket);
    });
  });
  cleanups.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
    rmSync(dir, { recursive: true });
  });
  await new Promise<void>((resolve) => server.listen(endpoint, resolve));
  return endpoint;
}

/** Whether there is a frame of type HEADERS after the 24 bytes of the preface. */
function hasRequest(received: Buffer): boolean {
  for (let at = 24; at + 9 <= received.length; at += 9 + received.readUIntBE(at, 3))
    if (received[at + 3] === 1) return true;
  return false;
}

function frame(type: number, flags: number, stream: number, payload: readonly number[] = []): Buffer {
  const { length } = payload;
  return Buffer.from([0, length >> 8, length & 255, type, flags, 0, 0, 0, stream, ...payload]);
}
/** PUSH_PROMISE of `GET http://a/`, and its response, which is reset. */
const push = (stream: number, promised: number): Buffer =>
  Buffer.concat([
    frame(5, 4, stream, [0, 0, 0, promised, 0x82, 0x86, 0x84, 0x41, 1, 97]),
    frame(1, 4, promised, [0x88]),
    frame(3, 0, promised, [0, 0, 0, 2]),
  ]);
const settingsAck = frame(4, 1, 0);
/** `:status: 200` and `content-type: application/grpc`. */
const headers = [0x88, 0x5f, 16, ...Buffer.from("application/grpc")];
/** `grpc-status: 0`. */
const trailers = [0, 11, ...Buffer.from("grpc-status"), 1, 48];

test.each([
  ["pushes a response and resets it", [push(1, 2)]],
  ["pushes a response after it has acknowledged the settings", [settingsAck, push(1, 2)]],
  ["pushes a hundred responses", Array.from({ length: 100 }, (_, index) => push(1, 2 + 2 * index))],
  ["pushes a response of a stream that does not exist", [push(99, 2)]],
  ["sends a response that was not promised", [frame(1, 4, 2, [0x88]), frame(3, 0, 2, [0, 0, 0, 2])]],
  ["sends a compressed message that is none", [frame(1, 4, 1, headers), frame(0, 0, 1, [1, 0, 0, 0, 1, 7])]],
  ["claims to send four gigabytes", [frame(1, 4, 1, headers), frame(0, 0, 1, [0, 255, 255, 255, 255, 1])]],
  ["sends a message that cannot be read", [frame(1, 4, 1, headers), frame(0, 0, 1, [0, 0, 0, 0, 1, 255])]],
  ["ends without a status", [frame(1, 5, 1, headers)]],
  ["sends trailers without a message", [frame(1, 4, 1, headers), frame(1, 5, 1, trailers)]],
  ["sends headers that are invalid", [frame(1, 4, 1, [0xff, 0xff, 0xff, 0xff, 0x0f])]],
  ["sends a frame of an unknown stream", [frame(0, 0, 77, [1, 2, 3])]],
  ["leaves with an error", [frame(7, 0, 0, [0, 0, 0, 0, 0, 0, 0, 11, ...Buffer.from("too_many_pings")])]],
  ["resets the request", [frame(3, 0, 1, [0, 0, 0, 255])]],
  ["changes its settings without end", Array.from({ length: 3000 }, () => frame(4, 0, 0, [0, 3, 0, 0, 0, 0]))],
])("a server that %s fails the call, and nothing else", async (_, frames) => {
  const endpoint = await serve((socket) => socket.write(Buffer.concat(frames)));
  const cri = createCriClient({ endpoint });
  cleanups.push(() => cri.close());
  await expect(cri.runtime.version({}, { timeoutMs: 1500 })).rejects.toThrow(/rpc error: code = /);
  // Errors that nobody handles come after the call has failed.
  await new Promise((resolve) => setTimeout(resolve, 100));
});
