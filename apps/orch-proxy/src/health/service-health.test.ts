import { once } from "node:events";
import { createServer } from "node:http";
import type { EventRecorder } from "@orchernetes/client";
import { silentLogger } from "@orchernetes/kernel";
import { freePort } from "@orchernetes/testkit";
import { afterEach, expect, test } from "vitest";
import { type BindAddress, everywhere } from "./bind-address.ts";
import { ServiceHealth } from "./service-health.ts";

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

function started(addresses: () => readonly BindAddress[] = () => [{ host: "127.0.0.1" }]) {
  const recorded: unknown[] = [];
  const state = { isHealthy: true };
  const events: EventRecorder = {
    event: (object, type, reason, message) => void recorded.push([object.name, type, reason, message]),
    flush: async () => undefined,
  };
  const health = new ServiceHealth({
    nodeName: "n",
    addresses,
    isProxyHealthy: () => state.isHealthy,
    events,
    logger: silentLogger,
  });
  ends.push(() => health.close());
  return { health, recorded, state };
}

const get = async (port: number, host = "127.0.0.1") => {
  const response = await fetch(`http://${host}:${port}/`);
  return [response.status, await response.text()];
};
const checkOf = (port: number, localEndpoints: number) =>
  new Map([["a/web", { namespace: "a", name: "web", port, localEndpoints }]]);

test("a port tells whether the node has endpoints and the daemon is healthy", async () => {
  const { health, state } = started();
  const port = await freePort();
  await health.sync(checkOf(port, 2));
  expect(await get(port)).toEqual([
    200,
    '{\n\t"service": {\n\t\t"namespace": "a",\n\t\t"name": "web"\n\t},\n\t"localEndpoints": 2,\n\t"serviceProxyHealthy": true\n}',
  ]);
  state.isHealthy = false;
  expect((await get(port))[0]).toBe(503);
  state.isHealthy = true;
  await health.sync(checkOf(port, 0));
  expect((await get(port))[0]).toBe(503);
});

test("a port moves with its service, and closes with it", async () => {
  const { health } = started();
  const [first, second] = [await freePort(), await freePort()];
  await health.sync(checkOf(first, 1));
  await health.sync(checkOf(second, 1));
  await expect(get(first)).rejects.toThrow();
  expect((await get(second))[0]).toBe(200);
  await health.sync(new Map());
  await expect(get(second)).rejects.toThrow();
});

test("a port that is taken is reported once by an event, and opened when it is free", async () => {
  const { health, recorded } = started();
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  const { port } = taken.address() as { readonly port: number };
  for (let i = 0; i < 2; i++) await health.sync(checkOf(port, 1));
  expect(recorded).toEqual([
    [
      "web",
      "Warning",
      "FailedToStartServiceHealthcheck",
      expect.stringMatching(`^node n failed to start healthcheck "a/web" on port ${port}: .*EADDRINUSE`),
    ],
  ]);
  taken.close();
  await once(taken, "close");
  await health.sync(checkOf(port, 1));
  expect((await get(port))[0]).toBe(200);
});

test("without any of the addresses no port is opened, until the host has one", async () => {
  const addresses: BindAddress[] = [];
  const { health, recorded } = started(() => addresses);
  const port = await freePort();
  for (let i = 0; i < 2; i++) await health.sync(checkOf(port, 1));
  await expect(get(port)).rejects.toThrow();
  const why = `node n failed to start healthcheck "a/web" on port ${port}: the host has no address in nodePortAddresses`;
  expect(recorded).toEqual([["web", "Warning", "FailedToStartServiceHealthcheck", why]]);
  addresses.push({ host: "127.0.0.1" });
  await health.sync(checkOf(port, 1));
  expect((await get(port))[0]).toBe(200);
});

test("a port that is opened on all addresses is open in both families", async () => {
  const { health } = started(() => [everywhere]);
  const port = await freePort();
  await health.sync(checkOf(port, 1));
  expect((await get(port))[0]).toBe(200);
  expect((await get(port, "[::1]"))[0]).toBe(200);
});

test("a port may be open on all addresses of one family, and on one address of the other", async () => {
  const { health } = started(() => [{ host: "127.0.0.1" }, { host: "::", isOneFamily: true }]);
  const port = await freePort();
  await health.sync(checkOf(port, 1));
  expect((await get(port))[0]).toBe(200);
  expect((await get(port, "[::1]"))[0]).toBe(200);
  await expect(get(port, "127.0.0.2")).rejects.toThrow();
});
