import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { core } from "@orchernetes/api";
import type { Client } from "@orchernetes/client";
import { orchletConfigurationSchema } from "@orchernetes/config";
import { silentLogger, systemClock } from "@orchernetes/kernel";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createPodManager } from "../pods/pod-manager.ts";
import { fakeWorkerServices, killingAfter } from "../testing/pod-workers.ts";
import { createStaticPods } from "./static-pods.ts";

let stop: AbortController;
let dir: string;
beforeEach(async () => {
  stop = new AbortController();
  dir = await mkdtemp(join(tmpdir(), "o8s-static-"));
});
afterEach(async () => {
  stop.abort();
  await rm(dir, { recursive: true });
});

function follow(settings: object, api: Partial<Parameters<typeof createStaticPods>[0]> = {}) {
  const manager = api.manager ?? createPodManager(fakeWorkerServices(stop.signal));
  const sources = createStaticPods({
    settings: orchletConfigurationSchema.parse({
      apiVersion: "orchlet.config.o8s.io/v1beta1",
      kind: "OrchletConfiguration",
      fileCheckFrequency: "10ms",
      httpCheckFrequency: "10ms",
      ...settings,
    }),
    nodeName: "node-a",
    client: undefined,
    manager,
    shown: () => undefined,
    mirrors: () => [],
    apiRead: () => true,
    nodeUid: () => undefined,
    clock: systemClock,
    logger: silentLogger,
    signal: stop.signal,
    ...api,
  });
  void sources.start();
  return { sources, names: () => manager.list().map(({ identity }) => identity.name) };
}

test("a source that does not respond yet does not count as read, but a source without pods does", async () => {
  let answers = false;
  const manifest = JSON.stringify({
    kind: "Pod",
    apiVersion: "v1",
    metadata: { name: "web" },
    spec: { containers: [{ name: "c", image: "i" }] },
  });
  const server = createServer((_, response) => response.writeHead(answers ? 200 : 503).end(manifest));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const { sources, names } = follow({ staticPodPath: dir, staticPodURL: `http://127.0.0.1:${port}/` });
  await new Promise((resolve) => setTimeout(resolve, 60));
  expect(sources.allRead()).toBe(false);
  answers = true;
  await expect.poll(() => sources.allRead()).toBe(true);
  expect(names()).toEqual(["web-node-a"]);
  server.close();
});

test("without sources, all sources count as read; a missing folder has no pods", async () => {
  await expect.poll(() => follow({}).sources.allRead()).toBe(true);
  const { sources } = follow({ staticPodPath: join(dir, "later") });
  await expect.poll(() => sources.allRead()).toBe(true);
});

test("a folder that cannot be read does not count as read", async () => {
  const { sources } = follow({ staticPodPath: join("/proc/self/environ", "x") });
  await new Promise((resolve) => setTimeout(resolve, 60));
  expect(sources.allRead()).toBe(false);
});

test("a mirror pod stays until its static pod has terminated, and is replaced when the successor starts", async () => {
  const gate = Promise.withResolvers<void>();
  const services = fakeWorkerServices(stop.signal);
  const manager = createPodManager(killingAfter(gate.promise, services));
  const calls: string[] = [];
  let shown: core.Pod | undefined;
  const pods = {
    async create(pod: core.Pod) {
      calls.push(`create ${pod.spec.containers[0]?.image}`);
      shown = pod;
      return pod;
    },
    async delete() {
      calls.push("delete");
      shown = undefined;
    },
  };
  const client = { resource: () => ({ namespace: () => pods }) } as unknown as Client;
  const { sources } = follow(
    { staticPodPath: dir },
    { manager, client, nodeUid: () => "n1", shown: () => shown, mirrors: () => (shown === undefined ? [] : [shown]) },
  );
  const write = (image: string) =>
    writeFile(
      join(dir, "web.json"),
      JSON.stringify({
        ...{ kind: "Pod", apiVersion: "v1", metadata: { name: "web" } },
        spec: { containers: [{ name: "c", image }] },
      }),
    );
  await write("a");
  await expect.poll(() => calls).toEqual(["create a"]);
  await expect.poll(() => services.done.length).toBe(2);
  await write("b");
  await expect.poll(() => manager.list().some(({ isEnding }) => isEnding)).toBe(true);
  sources.mirrorAll();
  await sleep(50);
  expect(calls).toEqual(["create a"]);
  await rm(join(dir, "web.json"));
  await sleep(50);
  expect(calls).toEqual(["create a"]);
  await write("b");
  await sleep(50);
  gate.resolve();
  await expect.poll(() => calls).toEqual(["create a", "delete", "create b"]);
  await rm(join(dir, "web.json"));
  await expect.poll(() => calls.at(-1)).toBe("delete");
});
