import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { startTcpProxy } from "./tcp-proxy.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** A server that sends back what it gets and keeps it, behind a proxy, and connections to that. */
async function setUp() {
  let arrived = "";
  const echo = createServer((socket) => {
    socket
      .on("error", () => undefined)
      .on("data", (chunk) => {
        arrived += chunk;
        socket.write(chunk);
      });
  });
  echo.listen(0, "127.0.0.1");
  await once(echo, "listening");
  cleanups.push(() => echo.close());
  const proxy = await startTcpProxy((echo.address() as AddressInfo).port);
  cleanups.push(() => proxy.stop());
  const open = async () => {
    const socket: Socket = connect(proxy.port, "127.0.0.1").setNoDelay(true);
    const client = { socket, received: "", closed: false };
    socket.setEncoding("utf8").on("data", (text) => {
      client.received += text;
    });
    socket
      .on("error", () => undefined)
      .on("close", () => {
        client.closed = true;
      });
    await once(socket, "connect");
    cleanups.push(() => socket.destroy());
    return client;
  };
  return { proxy, open, arrived: () => arrived };
}

const soon = { timeout: 20_000, interval: 5 };

test("bytes stay in order while delays change", async () => {
  const { proxy, open } = await setUp();
  const client = await open();
  let sent = "";
  for (let i = 0; i < 60; i++) {
    proxy.delay([0, 20, 5][i % 3] ?? 0);
    if (i % 20 === 19) proxy.heal();
    const text = `${i},`;
    sent += text;
    client.socket.write(text);
    await sleep(2);
  }
  await expect.poll(() => client.received, soon).toBe(sent);
});

test("hold: nothing arrives until it heals, then everything does", async () => {
  const { proxy, open, arrived } = await setUp();
  const client = await open();
  proxy.hold();
  for (const text of ["a", "b", "c"]) client.socket.write(text);
  await sleep(50);
  expect(arrived()).toBe("");
  proxy.heal();
  await expect.poll(() => client.received, soon).toBe("abc");
});

test.each([
  ["everything", "before,"],
  ["answers", "before,within,after,"],
] as const)("blackhole of %s: the connection stays open and silent, the next one works", async (what, wanted) => {
  const { proxy, open, arrived } = await setUp();
  const client = await open();
  client.socket.write("before,");
  await expect.poll(() => client.received, soon).toBe("before,");
  proxy.blackhole(what);
  client.socket.write("within,");
  await sleep(50);
  proxy.heal();
  client.socket.write("after,");
  const next = await open();
  next.socket.write("next");
  await expect.poll(() => next.received, soon).toBe("next");
  await expect.poll(arrived, soon).toBe(`${wanted}next`);
  expect([client.received, client.closed]).toEqual(["before,", false]);
});

test("cut: both ends see their connection close", async () => {
  const { proxy, open } = await setUp();
  const client = await open();
  client.socket.write("x");
  await expect.poll(() => client.received, soon).toBe("x");
  proxy.cut();
  await expect.poll(() => client.closed, soon).toBe(true);
  expect(proxy.connections).toBe(0);
});
