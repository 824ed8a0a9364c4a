import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type FakeApiServer, type FakeObject, startFakeApiServer } from "@orchernetes/client/testing";
import { silentLogger } from "@orchernetes/kernel";
import { afterEach, beforeEach, expect, test } from "vitest";
import { runOnce } from "./run-once.ts";
import { testConfig } from "./testing/config.ts";
import { testPod } from "./testing/pods.ts";
import { createFakeRuntime } from "./testing/runtime.ts";

let dir: string;
let api: FakeApiServer;
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), "o8s-once-"));
  mkdirSync(join(dir, "manifests"));
  writeFileSync(
    join(dir, "manifests", "web.yaml"),
    "{apiVersion: v1, kind: Pod, metadata: {name: static}, spec: {containers: [{name: c, image: i}]}}",
  );
  api = await startFakeApiServer();
});
afterEach(async () => {
  await api.close();
  rmSync(dir, { recursive: true, force: true });
});

const context = (signal = new AbortController().signal) => ({
  logger: silentLogger,
  signal,
  explicit: new Set<string>(),
  flushLogs: () => undefined,
});

// shows: runOnce
test("the static pods and the pods on the API server are started once and keep running; the node is not registered", async () => {
  const runtime = createFakeRuntime();
  api.put("/api/v1/pods", testPod({ nodeName: "node-a" }) as unknown as FakeObject);
  const settings = { runOnce: true, staticPodPath: join(dir, "manifests") };
  await runOnce(testConfig(dir, { settings, api: { server: api.url } }), context(), () => runtime.cri);
  expect(runtime.count()).toEqual({ sandboxes: 2, containers: 2 });
  expect(runtime.isClosed()).toBe(true);
  expect(api.objects("/api/v1/pods")[0]).toMatchObject({ status: { phase: "Running" } });
  expect(api.objects("/api/v1/nodes")).toEqual([]);
}, 30_000);

test("without an API server, only pods from files are started", async () => {
  const runtime = createFakeRuntime();
  const settings = { runOnce: true, staticPodPath: join(dir, "manifests") };
  await runOnce(testConfig(dir, { settings }), context(), () => runtime.cri);
  expect(runtime.count()).toEqual({ sandboxes: 1, containers: 1 });
}, 30_000);

test("an agent that is stopped before its pods run ends with an error", async () => {
  const runtime = createFakeRuntime();
  const stop = new AbortController();
  const cri = {
    ...runtime.cri,
    runtime: { ...runtime.cri.runtime, runPodSandbox: () => Promise.reject(new Error("no room")) },
  } as unknown as typeof runtime.cri;
  const settings = { runOnce: true, staticPodPath: join(dir, "manifests") };
  const running = runOnce(testConfig(dir, { settings }), context(stop.signal), () => cri);
  setTimeout(() => stop.abort(new Error("SIGTERM")), 1500);
  await expect(running).rejects.toThrow();
  expect(runtime.count()).toEqual({ sandboxes: 0, containers: 0 });
}, 30_000);
