import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMetrics } from "@orchernetes/component";
import { FakeClock, silentLogger } from "@orchernetes/kernel";
import { afterEach, beforeEach, expect, test } from "vitest";
import { TestDevicePlugin } from "../../testing/device-plugin.ts";
import { testPod } from "../../testing/pods.ts";
import { anyNode } from "../topology-manager/hint.ts";
import { createDeviceManager } from "./device-manager.ts";
import { devicePluginHandler } from "./device-plugin-handler.ts";

const resource = "example.com/card";
const { signal } = new AbortController();
let dir: string;
let stop: AbortController;
let plugin: TestDevicePlugin;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "o8s-device-handler-"));
  stop = new AbortController();
  plugin = new TestDevicePlugin(dir, resource, [{ id: "a" }], { preStartRequired: true });
});
afterEach(async () => {
  stop.abort();
  await plugin.stop();
  rmSync(dir, { recursive: true, force: true });
});

test("a plugin that registers in the registry is asked for its options", async () => {
  const clock = new FakeClock("2023-06-01T00:00:00Z");
  const manager = createDeviceManager({
    ...{ folder: dir, nodes: [0, 1], metrics: createMetrics(), logger: silentLogger, clock },
  });
  await manager.run(stop.signal);
  const amounts = () => {
    const { capacity, allocatable } = manager.amounts();
    return [capacity[resource], allocatable[resource]];
  };
  await plugin.serve();
  const handler = devicePluginHandler(manager);
  const info = { type: "DevicePlugin", name: resource, endpoint: plugin.socketPath, supportedVersions: ["v1beta1"] };
  expect(() => handler.validate({ ...info, supportedVersions: ["v2"] })).toThrow(
    "is not among plugin supported versions",
  );
  expect(() => handler.validate({ ...info, name: "memory" })).toThrow("is invalid");
  handler.validate(info);
  await handler.register(info, signal);
  await expect.poll(amounts, { timeout: 10_000, interval: 10 }).toEqual(["1", "1"]);
  const container = {
    name: "c",
    image: "i",
    resources: { limits: { [resource]: "1" }, requests: { [resource]: "1" } },
  };
  const pod = testPod({ containers: [container] }, { uid: "u" });
  await manager.provider.allocate(pod, container, anyNode, signal);
  await manager.prepareStart(pod, container, signal);
  expect(plugin.calls).toEqual(["allocate a", "start a"]);
  await handler.deregister(resource);
  expect(amounts()).toEqual(["1", "0"]);
});
