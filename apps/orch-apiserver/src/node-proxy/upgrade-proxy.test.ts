import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect, createServer as createTcpServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import { proxyUpgrade } from "./upgrade-proxy.ts";

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** A server that answers the first head with `answer` and keeps all it is sent, and a proxy in front of it. */
async function start(answer: string): Promise<{ readonly port: number; sent(): string }> {
  let seen = "";
  const target = createTcpServer((socket) => {
    socket.on("error", () => undefined);
    socket.on("data", (chunk) => {
      const first = !seen.includes("\r\n\r\n");
      seen += chunk.toString("latin1");
      if (first && seen.includes("\r\n\r\n")) socket.write(answer);
    });
  });
  target.listen(0, "127.0.0.1");
  await once(target, "listening");
  const { port } = target.address() as AddressInfo;
  const proxy = createServer();
  proxy.on("upgrade", (request, client, clientHead) => {
    client.on("error", () => undefined);
    const upstream = connect(port, "127.0.0.1");
    upstream.on("error", () => undefined);
    const to = { path: "/there", host: "there", timeoutMs: 10_000 };
    proxyUpgrade({ request, client, clientHead, upstream, ...to }).catch((error: Error) => client.end(error.message));
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  closers.push(() => {
    proxy.close();
    target.close();
  });
  return { port: (proxy.address() as AddressInfo).port, sent: () => seen };
}

const handshake = (more = "") =>
  `POST / HTTP/1.1\r\nhost: x\r\nconnection: Upgrade\r\nupgrade: echo\r\nauthorization: Bearer x\r\n${more}\r\n`;
const smuggled = "GET /smuggled HTTP/1.1\r\nhost: x\r\nx-remote-user: root\r\n\r\n";

/** What the client gets for a handshake followed at once, and after the answer, by another request. */
async function exchange(port: number, more?: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined);
  socket.write(handshake(more) + smuggled);
  let got = "";
  socket.on("data", (chunk) => {
    got += chunk;
    socket.write(smuggled);
  });
  await once(socket, "close");
  return got;
}

describe("after a refusal nothing of the client goes to the server", () => {
  const refusal = "HTTP/1.1 403 Forbidden\r\nconnection: keep-alive\r\nkeep-alive: timeout=60\r\n";
  test.each([
    ["counted", `${refusal}content-length: 2\r\n\r\nno`, "no"],
    ["empty", `${refusal}content-length: 0\r\n\r\n`, ""],
    ["chunked", `${refusal}transfer-encoding: chunked\r\n\r\n2\r\nno\r\n0\r\n\r\n`, "2\r\nno\r\n0\r\n\r\n"],
  ])("%s", async (_, answer, body) => {
    const { port, sent } = await start(answer);
    const got = await exchange(port);
    expect(got).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n/);
    expect(got.toLowerCase()).toContain("\r\nconnection: close\r\n");
    expect(got.toLowerCase()).not.toContain("keep-alive");
    expect(got.endsWith(`\r\n\r\n${body}`)).toBe(true);
    await sleep(50);
    expect(sent()).not.toContain("smuggled");
  });
});

test.each([
  ["a redirect", "HTTP/1.1 302 Found\r\nlocation: /x\r\ncontent-length: 0\r\n\r\n", 302],
  ["a plain answer", "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok", 200],
  ["no HTTP", "hello\r\n\r\n", Number.NaN],
])("%s is an error", async (_, answer, status) => {
  const { port, sent } = await start(answer);
  expect(await exchange(port)).toBe(`invalid upgrade response: status code ${status}`);
  expect(sent()).not.toContain("smuggled");
});

test("an agreement joins both, and the handshake promises no body", async () => {
  const { port, sent } = await start(
    "HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: echo\r\n\r\nhi",
  );
  const socket = connect(port, "127.0.0.1");
  let got = "";
  socket.on("data", (chunk) => {
    got += chunk;
  });
  socket.write(`${handshake("content-length: 4\r\n")}body`);
  await expect.poll(() => got).toMatch(/^HTTP\/1\.1 101 [\s\S]*\r\n\r\nhi$/);
  socket.write("ping");
  await expect.poll(sent).toMatch(/ping$/);
  expect(sent()).not.toMatch(/content-length|authorization/i);
  socket.destroy();
});
