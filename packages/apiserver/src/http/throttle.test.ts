import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { expect, test } from "vitest";
import { ThrottledSocket } from "./throttle.ts";

/** A connected pair of sockets. */
async function pair(): Promise<{ readonly near: Socket; readonly far: Socket; close(): void }> {
  const server = createServer({ allowHalfOpen: true });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const accepted = once(server, "connection");
  const far = connect({ port: (server.address() as { port: number }).port, host: "127.0.0.1", allowHalfOpen: true });
  const [near] = (await accepted) as [Socket];
  return { near, far, close: () => [near.destroy(), far.destroy(), server.close()] };
}

async function textOf(socket: Socket): Promise<string> {
  let text = "";
  for await (const chunk of socket) text += chunk;
  return text;
}

test("written bytes arrive completely, at the given rate", async () => {
  const { near, far, close } = await pair();
  const started = performance.now();
  const paced = new ThrottledSocket(near, 10_000);
  paced.end("x".repeat(3000));
  expect((await textOf(far)).length).toBe(3000);
  expect(performance.now() - started).toBeGreaterThan(200);
  close();
});

test("read bytes arrive completely, at the given rate", async () => {
  const { near, far, close } = await pair();
  const paced = new ThrottledSocket(near, 20_000);
  const started = performance.now();
  far.write("a".repeat(4000));
  let size = 0;
  paced.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size === 4000) far.end("b");
  });
  await once(paced, "end");
  expect(size).toBe(4001);
  expect(performance.now() - started).toBeGreaterThan(150);
  close();
});

test("destroying it delivers written bytes, then ends the socket; the end of the socket is its end", async () => {
  const { near, far, close } = await pair();
  const paced = new ThrottledSocket(near, 1000);
  paced.write("y".repeat(500));
  paced.destroy();
  expect((await textOf(far)).length).toBe(500);
  close();
  const other = await pair();
  const ended = new ThrottledSocket(other.near, 1000);
  const closed = once(ended, "close");
  other.near.destroy();
  await closed;
  other.close();
});
