import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { FakeClock } from "@orchernetes/kernel";
import { afterEach, expect, test } from "vitest";
import { ProxyHealth } from "./proxy-health.ts";

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

async function served() {
  const clock = new FakeClock("2023-06-01T00:00:00.250Z");
  const health = new ProxyHealth(clock, 60_000);
  const server = createServer(health.handle).listen(0, "127.0.0.1");
  await once(server, "listening");
  ends.push(() => void server.close());
  const get = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`);
    return [response.status, await response.text()];
  };
  return { clock, health, get };
}

test("a clock that is set forward makes nothing late", () => {
  let nowMs = 0;
  const health = new ProxyHealth(Object.assign(new FakeClock(), { nowMs: () => nowMs }), 60_000);
  health.queued();
  nowMs = 3_600_000;
  expect(health.isHealthy()).toBe(true);
});

test("it is healthy until a change has waited for the whole timeout, and again after a synchronization", async () => {
  const { clock, health, get } = await served();
  const at = (time: string) => `2023-06-01 ${time} +0000 UTC`;
  expect(await get("/healthz")).toEqual([
    200,
    `{"lastUpdated": "${at("00:00:00.25")}","currentTime": "${at("00:00:00.25")}"}`,
  ]);
  health.queued();
  clock.advance(30_000);
  health.queued();
  clock.advance(29_999);
  expect((await get("/healthz"))[0]).toBe(200);
  clock.advance(1);
  const never = "0001-01-01 00:00:00 +0000 UTC";
  expect(await get("/healthz")).toEqual([503, `{"lastUpdated": "${never}","currentTime": "${at("00:01:00.25")}"}`]);
  expect((await get("/healthz?verbose"))[0]).toBe(503);
  health.updated();
  expect((await get("/healthz"))[0]).toBe(200);
});

test("a part of the daemon that waits too long is not hidden by one that does not", async () => {
  const { clock, health } = await served();
  health.queued("network policies");
  clock.advance(59_999);
  health.queued();
  health.updated();
  expect(health.isHealthy()).toBe(true);
  clock.advance(1);
  health.updated();
  expect(health.isHealthy()).toBe(false);
  health.updated("network policies");
  expect(health.isHealthy()).toBe(true);
});

test("other paths are not found", async () => {
  const { get } = await served();
  // The original has /livez, and looks at the node, since 1.28.
  for (const path of ["/", "/livez"]) expect(await get(path)).toEqual([404, "404 page not found\n"]);
});
