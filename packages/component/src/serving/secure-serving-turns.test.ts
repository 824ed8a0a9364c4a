import { once } from "node:events";
import { connect as http2Connect } from "node:http2";
import type { TLSSocket } from "node:tls";
import { connect } from "node:tls";
import { type HttpHandler, silentLogger } from "@orchernetes/kernel";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createSecureServing, type SecureServing } from "./secure-serving.ts";

const end = new AbortController();
let serving: SecureServing | undefined;
let handler: HttpHandler = () => {};
/** Counts turns of the event loop. */
let turn = 0;
const count = setInterval(() => turn++, 0);

beforeAll(async () => {
  serving = await createSecureServing(
    { bindAddress: "127.0.0.1", port: 0, logger: silentLogger, signal: end.signal, tls: { pairName: "test" } },
    (request, response) => handler(request, response),
  );
});
beforeEach(() => {
  turn = 0;
});
afterAll(async () => {
  clearInterval(count);
  end.abort();
  await serving?.close();
});

const target = () => ({ host: "127.0.0.1", port: serving?.port, rejectUnauthorized: false });
const get = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

async function openHttp1(requests: number): Promise<() => void> {
  const socket: TLSSocket = connect({ ...target(), ALPNProtocols: ["http/1.1"] });
  socket.on("error", () => {});
  await once(socket, "secureConnect");
  socket.write(get.repeat(requests));
  return () => socket.destroy();
}

async function openHttp2(requests: number): Promise<() => void> {
  const session = http2Connect(`https://127.0.0.1:${serving?.port}`, { rejectUnauthorized: false });
  session.on("error", () => {});
  await once(session, "connect");
  for (let i = 0; i < requests; i++) session.request({ ":path": "/" }).on("error", () => {});
  return () => session.destroy();
}

const protocols = [
  { protocol: "HTTP/1.1", open: openHttp1 },
  { protocol: "HTTP/2", open: openHttp2 },
];

test.each(protocols)("requests that come together are begun in several turns, over $protocol", async ({ open }) => {
  const begun: number[] = [];
  handler = (_request, response) => {
    begun.push(turn);
    for (const until = performance.now() + 4; performance.now() < until; );
    response.end();
  };
  const close = await open(20);
  await expect.poll(() => begun.length, { timeout: 20_000 }).toBe(20);
  close();
  // Each turn takes the time of three.
  expect(new Set(begun).size).toBeGreaterThan(3);
});

test.each(protocols)("many clients that disconnect together are closed in turns, over $protocol", async ({ open }) => {
  const closed: number[] = [];
  let begun = 0;
  handler = (_request, response) => {
    begun++;
    response.on("close", () => void closed.push(turn));
  };
  const closers = await Promise.all(Array.from({ length: 100 }, () => open(1)));
  await expect.poll(() => begun, { timeout: 20_000 }).toBe(100);
  for (const close of closers) close();
  await expect.poll(() => closed.length, { timeout: 20_000 }).toBe(100);
  expect(new Set(closed).size).toBeGreaterThan(3);
  await expect.poll(() => new Promise((resolve) => serving?.server.getConnections((_, all) => resolve(all)))).toBe(0);
});
