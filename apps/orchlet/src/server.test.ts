import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { core } from "@orchernetes/api";
import type { FakeObject } from "@orchernetes/client/testing";
import { freePort } from "@orchernetes/testkit";
import { afterEach, beforeEach, expect, test } from "vitest";
import { prepareAgent, type TestAgent } from "./testing/agent.ts";
import { testPod } from "./testing/pods.ts";

let agent: TestAgent;
beforeEach(async () => {
  agent = await prepareAgent();
});
afterEach(() => agent.close());

const pods = "/api/v1/pods";
const wait = { timeout: 20_000, interval: 20 };
const shown = () => agent.api.objects(pods)[0] as unknown as core.Pod | undefined;

test("an agent registers its node, runs and terminates its pods, and stops", async () => {
  const { api, runtime } = agent;
  await agent.start();
  await expect.poll(() => api.objects("/api/v1/nodes")[0], wait).toMatchObject({ metadata: { name: "node-a" } });
  await expect.poll(() => api.objects("/apis/coordination.o8s.io/v1/leases").length, wait).toBe(1);

  const pod = testPod({ nodeName: "node-a" });
  api.put(pods, pod as unknown as FakeObject);
  await expect.poll(() => shown()?.status.phase, wait).toBe("Running");
  expect(runtime.count()).toEqual({ sandboxes: 1, containers: 1 });

  const metadata = {
    ...shown()?.metadata,
    deletionTimestamp: "2026-01-01T00:00:00Z",
    deletionGracePeriodSeconds: 0,
    finalizers: ["test"],
  };
  api.put(pods, { ...shown(), metadata } as unknown as FakeObject);
  const deletions = () => api.requests.filter(({ method, path }) => method === "DELETE" && path.endsWith("/pods/web"));
  await expect.poll(() => deletions().length, wait).toBeGreaterThan(0);
  expect(runtime.count()).toEqual({ sandboxes: 0, containers: 0 });

  await agent.stop();
  expect(runtime.isClosed()).toBe(true);
});

test("a standalone agent runs static pods and serves its health", async () => {
  writeFileSync(
    join(agent.dir, "manifests", "web.yaml"),
    "{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {containers: [{name: c, image: i}]}}",
  );
  const healthzPort = await freePort();
  await agent.start({ healthzPort }, { api: undefined });
  await expect.poll(() => agent.runtime.count(), wait).toEqual({ sandboxes: 1, containers: 1 });
  const health = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${healthzPort}${path}`);
    return [response.status, await response.text()];
  };
  expect(await health("/healthz")).toEqual([200, "ok"]);
  expect(await health("/nothing")).toEqual([404, "404 page not found\n"]);
  expect(agent.api.requests).toEqual([]);
});

test("agents that have chosen the same health port both run, and the second serves it when the first has ended", async () => {
  const healthzPort = await freePort();
  const other = await prepareAgent();
  const status = () =>
    fetch(`http://127.0.0.1:${healthzPort}/healthz`).then(
      (response) => response.status,
      () => undefined,
    );
  try {
    await Promise.all([agent.start({ healthzPort }), other.start({ healthzPort })]);
    for (const { api } of [agent, other]) await expect.poll(() => api.objects("/api/v1/nodes"), wait).toHaveLength(1);
    expect(await status()).toBe(200);
    await agent.stop();
    // Whichever of them had the port: the other agent has it now, or after it has tried again.
    await expect.poll(status, { timeout: 15_000, interval: 50 }).toBe(200);
  } finally {
    await other.close();
  }
  expect(await status()).toBeUndefined();
});
