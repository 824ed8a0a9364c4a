import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHealth, createMetrics, type PlainServing } from "@orchernetes/component";
import { orchletConfigurationSchema } from "@orchernetes/config";
import { silentLogger, systemClock } from "@orchernetes/kernel";
import { freePort } from "@orchernetes/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { machineInfo } from "../node/machine-info.ts";
import { openUsageSource } from "../stats/usage-source.ts";
import { createFakeRuntime } from "../testing/runtime.ts";
import type { AgentServerOptions } from "./agent-server.ts";
import { createReadOnlyServer } from "./read-only-server.ts";

const dir = mkdtempSync(join(tmpdir(), "o8s-read-only-"));
let serving: PlainServing | undefined;

async function start(readOnlyPort: number): Promise<PlainServing | undefined> {
  const settings = orchletConfigurationSchema.parse({
    apiVersion: "orchlet.config.o8s.io/v1beta1",
    kind: "OrchletConfiguration",
    address: "127.0.0.1",
    readOnlyPort,
  });
  const { cri } = createFakeRuntime();
  const machine = await machineInfo(dir);
  const usage = openUsageSource({
    ...{ cri, machine, settings, nodeName: "n", rootDir: dir, clock: systemClock, runtimeCgroups: "", swap: false },
    logs: () => dir,
    podOf: () => undefined,
  });
  return createReadOnlyServer({
    config: { settings, nodeName: "n", certDir: dir, rootDir: dir, featureEnabled: () => true },
    ...{ cri, machine, usage },
    manager: { list: () => [], find: () => undefined },
    metrics: createMetrics(),
    health: createHealth({ logger: silentLogger }),
    logger: silentLogger,
    clock: systemClock,
  } as unknown as AgentServerOptions);
}

beforeAll(async () => {
  serving = await start(await freePort());
});
afterAll(async () => {
  await serving?.close();
  rmSync(dir, { recursive: true });
});

// shows: readOnlyPort
test.each([
  ["GET", "/healthz", 200],
  ["GET", "/pods", 200],
  ["GET", "/stats/summary", 200],
  ["GET", "/metrics", 200],
  ["GET", "/metrics/cadvisor", 200],
  ["GET", "/metrics/resource", 200],
  ["GET", "/metrics/probes", 200],
  ["GET", "/runningpods/", 405],
  ["GET", "/logs/", 405],
  ["GET", "/l%6fgs/", 405],
  ["GET", "/debug/pprof/", 405],
  ["GET", "/containerLogs/ns/p/c", 405],
  ["POST", "/run/ns/p/c?cmd=id", 405],
  ["POST", "/exec/ns/p/c?command=id", 405],
  ["GET", "/configz", 404],
  ["GET", "/spec", 404],
  ["PUT", "/debug/flags/v", 404],
  ["POST", "/checkpoint/ns/p/c", 404],
])("%s %s on the read-only port is answered with %i", async (method, path, status) => {
  const response = await fetch(`http://127.0.0.1:${serving?.port}${path}`, { method });
  expect([response.status, await response.text()]).toEqual([status, expect.any(String)]);
});

test("connections to the read-only port are not upgraded", async () => {
  const { createConnection } = await import("node:net");
  const socket = createConnection({ host: "127.0.0.1", port: serving?.port ?? 0 });
  socket.write("POST /exec/ns/p/c?command=id HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n");
  const answer = await new Promise<string>((resolve) => socket.once("data", (data) => resolve(String(data))));
  socket.destroy();
  expect(answer).toMatch(/^HTTP\/1.1 405 /);
});

// shows: readOnlyPort
test("port 0 disables the read-only server", async () => {
  expect(await start(0)).toBeUndefined();
});

test("connections beyond the limit are closed, and later ones are served", async () => {
  const { createConnection } = await import("node:net");
  const sockets = Array.from({ length: 150 }, () => createConnection({ host: "127.0.0.1", port: serving?.port ?? 0 }));
  let closed = 0;
  for (const socket of sockets)
    socket
      .on("close", () => closed++)
      .on("error", () => undefined)
      .resume();
  await expect.poll(() => closed).toBeGreaterThanOrEqual(50);
  for (const socket of sockets) socket.destroy();
  await expect
    .poll(async () => (await fetch(`http://127.0.0.1:${serving?.port}/healthz`).catch(() => undefined))?.status)
    .toBe(200);
});
