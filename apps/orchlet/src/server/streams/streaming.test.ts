import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { HttpRequest } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import { proxyStream } from "./streaming.ts";

// shows: streamingConnectionIdleTimeout
test("an idle stream ends after idleMs, and an active one does not", async () => {
  const upstream = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n\r\n"));
    socket.on("data", (chunk) => chunk.toString().startsWith("ping") && socket.write("pong"));
  }).listen(0, "127.0.0.1");
  await once(upstream, "listening");
  const url = new URL(`http://127.0.0.1:${(upstream.address() as AddressInfo).port}/exec`);
  const request = { method: "GET", url: "/exec", headers: { upgrade: "SPDY/3.1" } } as unknown as HttpRequest;
  const run = async (pings: number) => {
    const client = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() });
    client.on("error", () => undefined);
    const timer = setInterval(() => pings-- > 0 && client.push("ping"), 50);
    const begun = performance.now();
    await proxyStream({ request, client, head: Buffer.alloc(0), url, idleMs: 150 }).catch(() => undefined);
    clearInterval(timer);
    return performance.now() - begun;
  };
  try {
    const [idle, busy] = await Promise.all([run(0), run(8)]);
    expect(idle).toBeGreaterThanOrEqual(140);
    expect(busy).toBeGreaterThan(idle + 200);
  } finally {
    upstream.close();
  }
});

test("the runtime's stream ends when the client disconnects during the negotiation", async () => {
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<string>();
  const upstream = createServer((socket) => {
    socket.on("error", () => undefined).on("close", () => closed.resolve("closed"));
    socket.once("data", async () => {
      asked.resolve();
      await answer.promise;
      socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n\r\n");
    });
  }).listen(0, "127.0.0.1");
  await once(upstream, "listening");
  const url = new URL(`http://127.0.0.1:${(upstream.address() as AddressInfo).port}/exec`);
  const request = { method: "GET", url: "/exec", headers: { upgrade: "SPDY/3.1" } } as unknown as HttpRequest;
  const client = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() });
  client.on("error", () => undefined);
  try {
    void proxyStream({ request, client, head: Buffer.alloc(0), url, idleMs: 0 }).catch(() => undefined);
    await asked.promise;
    client.destroy();
    answer.resolve();
    expect(await Promise.race([closed.promise, sleep(2000, "open")])).toBe("closed");
  } finally {
    upstream.close();
  }
});

test("a client's invalid frames of SPDY do not reach the runtime, and end the stream", async () => {
  let received = Buffer.alloc(0);
  const upstream = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => {
      socket.on("data", (chunk: Buffer) => {
        received = Buffer.concat([received, chunk]);
      });
      socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n");
    });
  }).listen(0, "127.0.0.1");
  await once(upstream, "listening");
  const url = new URL(`http://127.0.0.1:${(upstream.address() as AddressInfo).port}/exec`);
  const request = { method: "POST", url: "/exec", headers: { upgrade: "spdy/3.1" } } as unknown as HttpRequest;
  const client = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() });
  client.on("error", () => undefined);
  try {
    const ping = "800300060000000400000001";
    const done = proxyStream({ request, client, head: Buffer.from(ping, "hex"), url, idleMs: 0 });
    client.push(Buffer.from(ping, "hex"));
    await expect.poll(() => received.toString("hex")).toBe(ping + ping);
    client.push(Buffer.from("8003000400000004ffffffff", "hex"));
    await done;
    expect(received.toString("hex")).toBe(ping + ping);
  } finally {
    upstream.close();
  }
});
