import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { core } from "@orchernetes/api";
import { createMetrics } from "@orchernetes/component";
import { FakeClock, silentLogger } from "@orchernetes/kernel";
import { afterEach, beforeEach, expect, test } from "vitest";
import { TestDevicePlugin } from "../../testing/device-plugin.ts";
import { testPod } from "../../testing/pods.ts";
import { maskOf } from "../topology/numa-mask.ts";
import { anyNode, type TopologyHint } from "../topology-manager/hint.ts";
import { createDeviceManager, type DeviceManager } from "./device-manager.ts";

const resource = "example.com/card";
let dir: string;
let stop: AbortController;
let clock: FakeClock;
const plugins: TestDevicePlugin[] = [];
const signal = new AbortController().signal;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "o8s-devices-"));
  stop = new AbortController();
  clock = new FakeClock("2023-06-01T00:00:00Z");
});
afterEach(async () => {
  stop.abort();
  await Promise.all(plugins.splice(0).map((plugin) => plugin.stop()));
  rmSync(dir, { recursive: true, force: true });
});

async function manage(): Promise<DeviceManager> {
  const manager = createDeviceManager({
    ...{ folder: dir, nodes: [0, 1], metrics: createMetrics(), logger: silentLogger, clock },
  });
  await manager.run(stop.signal);
  return manager;
}
const ids = (...names: readonly string[]) => names.map((id) => ({ id }));
const wait = { timeout: 10_000, interval: 10 };

async function pluginOf(
  devices: ConstructorParameters<typeof TestDevicePlugin>[2],
  behaviour: ConstructorParameters<typeof TestDevicePlugin>[3] = {},
  name = resource,
): Promise<TestDevicePlugin> {
  const plugin = new TestDevicePlugin(dir, name, devices, behaviour);
  plugins.push(plugin);
  await plugin.start();
  return plugin;
}

const containerOf = (name: string, count: number, of = resource) => ({
  name,
  image: "i",
  resources: { limits: { [of]: String(count) }, requests: { [of]: String(count) } },
});
const podOf = (uid: string, counts: readonly number[], init: readonly number[] = []): core.Pod =>
  testPod(
    {
      containers: counts.map((count, index) => containerOf(`c${index}`, count)),
      initContainers: init.map((count, index) => containerOf(`i${index}`, count)),
    },
    { uid },
  );

async function allocate(manager: DeviceManager, pod: core.Pod, hint: TopologyHint = anyNode): Promise<void> {
  for (const container of [...(pod.spec.initContainers ?? []), ...pod.spec.containers])
    await manager.provider.allocate(pod, container, hint, signal);
}
const has = (manager: DeviceManager, uid: string, container = "c0") =>
  manager
    .devicesOf(uid, container)
    .flatMap((group) => group.ids)
    .toSorted();
const amounts = (manager: DeviceManager) => {
  const { capacity, allocatable } = manager.amounts();
  return [capacity[resource], allocatable[resource]];
};

test("the devices of a plugin are resources of the node, healthy ones can be allocated, and changes are reported", async () => {
  const manager = await manage();
  let changes = 0;
  manager.onChange(() => changes++);
  const plugin = await pluginOf([{ id: "a" }, { id: "b", health: "Unhealthy" }]);
  await expect.poll(() => amounts(manager), wait).toEqual(["2", "1"]);
  plugin.set(ids("a", "b", "c"));
  await expect.poll(() => amounts(manager), wait).toEqual(["3", "3"]);
  clock.advance(500);
  expect(changes).toBe(2);
});

test("when a plugin disconnects, its devices are unhealthy, and after five minutes the node no longer has the resource", async () => {
  const manager = await manage();
  const plugin = await pluginOf(ids("a", "b"));
  await expect.poll(() => amounts(manager), wait).toEqual(["2", "2"]);
  await plugin.stop();
  await expect.poll(() => amounts(manager), wait).toEqual(["2", "0"]);
  clock.advance(4 * 60_000);
  expect(amounts(manager)).toEqual(["2", "0"]);
  await plugin.start();
  await expect.poll(() => amounts(manager), wait).toEqual(["2", "2"]);
  await plugin.stop();
  await expect.poll(() => amounts(manager), wait).toEqual(["2", "0"]);
  clock.advance(5 * 60_000 + 1);
  expect(amounts(manager)).toEqual(["0", "0"]);
});

test("a container gets what the plugin returns, and the plugin is called before the container starts", async () => {
  const manager = await manage();
  const plugin = await pluginOf(ids("a", "b"), { preStartRequired: true });
  await expect.poll(() => amounts(manager), wait).toEqual(["2", "2"]);
  const pod = podOf("u", [1]);
  const [container] = pod.spec.containers as [core.Container];
  expect(manager.lacks(pod, container)).toBe(true);
  await allocate(manager, pod);
  expect(manager.lacks(pod, container)).toBe(false);
  expect(await manager.prepareStart(pod, container, signal)).toEqual({
    envs: new Map([["DEVICES", "a"]]),
    mounts: [{ containerPath: "/driver", hostPath: "/opt/driver", readonly: true }],
    devices: [{ containerPath: "/dev/a", hostPath: "/dev/host-a", permissions: "rw" }],
    annotations: { "example.com/devices": "a" },
    cdiDevices: [{ name: "example.com/device=a" }],
  });
  expect(plugin.calls).toEqual(["allocate a", "start a"]);
  await plugin.stop();
  await expect.poll(() => amounts(manager), wait).toEqual(["2", "0"]);
  await expect(manager.prepareStart(pod, container, signal)).rejects.toThrow(
    "device plugin PreStartContainer rpc failed with err: endpoint example.com/card has been stopped",
  );
});

test("a container that restarts keeps its devices while its plugin is updated, until the node no longer has the resource", async () => {
  const manager = await manage();
  const plugin = await pluginOf(ids("a"));
  await expect.poll(() => amounts(manager), wait).toEqual(["1", "1"]);
  const pod = podOf("u", [1]);
  const [container] = pod.spec.containers as [core.Container];
  await allocate(manager, pod);
  await plugin.stop();
  await expect.poll(() => amounts(manager), wait).toEqual(["1", "0"]);
  expect((await manager.prepareStart(pod, container, signal)).annotations).toEqual({ "example.com/devices": "a" });
  clock.advance(5 * 60_000 + 1);
  expect(amounts(manager)).toEqual(["0", "0"]);
  await expect(manager.prepareStart(pod, container, signal)).rejects.toThrow(
    "endpoint not found in cache for a registered resource: example.com/card",
  );
  await expect(allocate(manager, podOf("v", [1]))).rejects.toThrow(
    "cannot allocate unregistered device example.com/card",
  );
});

test("a container whose devices are all unhealthy is rejected because the node has no healthy ones", async () => {
  const manager = await manage();
  const plugin = await pluginOf(ids("a", "b"));
  await expect.poll(() => amounts(manager), wait).toEqual(["2", "2"]);
  const pod = podOf("u", [1]);
  await allocate(manager, pod);
  const [had = ""] = has(manager, "u");
  plugin.set([{ id: had, health: "Unhealthy" }, { id: had === "a" ? "b" : "a" }]);
  await expect.poll(() => amounts(manager), wait).toEqual(["2", "1"]);
  await expect(allocate(manager, pod)).rejects.toThrow("previously allocated devices are no longer healthy");
  plugin.set([{ id: had, health: "Unhealthy" }]);
  await expect.poll(() => amounts(manager), wait).toEqual(["1", "0"]);
  await expect(allocate(manager, pod)).rejects.toThrow("no healthy devices present");
});

test("a plugin that cannot say which devices it prefers makes the allocation fail", async () => {
  const manager = await manage();
  await pluginOf(ids("a", "b"), {
    getPreferredAllocationAvailable: true,
    prefer() {
      throw new Error("card is hot");
    },
  });
  await expect.poll(() => amounts(manager), wait).toEqual(["2", "2"]);
  await expect(allocate(manager, podOf("u", [1]))).rejects.toThrow(
    "device plugin GetPreferredAllocation rpc failed with err: rpc error: code = Unknown desc = card is hot",
  );
});

test("a pod with another number of devices than it requests cannot be aligned as a whole", async () => {
  const manager = await manage();
  await pluginOf([
    { id: "a", nodes: [0] },
    { id: "b", nodes: [0] },
  ]);
  await expect.poll(() => amounts(manager), wait).toEqual(["2", "2"]);
  await allocate(manager, podOf("u", [1]));
  expect(manager.provider.podHints(podOf("u", [1, 1])).get(resource)).toEqual([]);
});

test("a plugin that does not give its options when it registers is asked for them", async () => {
  const manager = await manage();
  const plugin = new TestDevicePlugin(dir, resource, ids("a"), { preStartRequired: true });
  plugins.push(plugin);
  await plugin.serve();
  await plugin.register("v1beta1", undefined, false);
  await expect.poll(() => amounts(manager), wait).toEqual(["1", "1"]);
  const pod = podOf("u", [1]);
  await allocate(manager, pod);
  await manager.prepareStart(pod, pod.spec.containers[0] as core.Container, signal);
  expect(plugin.calls).toEqual(["allocate a", "start a"]);
});

test("no device is allocated twice, and the devices of a pod are free when it has terminated", async () => {
  const manager = await manage();
  await pluginOf(ids("a", "b", "c"));
  await expect.poll(() => amounts(manager), wait).toEqual(["3", "3"]);
  await allocate(manager, podOf("u", [1, 1]));
  expect([...has(manager, "u", "c0"), ...has(manager, "u", "c1")].toSorted()).toEqual(["a", "b"]);
  expect(manager.inUse()).toEqual({ [resource]: 2 });
  await expect(allocate(manager, podOf("v", [2]))).rejects.toThrow(
    "requested number of devices unavailable for example.com/card. Requested: 2, Available: 1",
  );
  manager.provider.release("u");
  await allocate(manager, podOf("v", [2]));
  expect(manager.inUse()).toEqual({ [resource]: 2 });
});

test("the devices of init containers are reused by the containers of the pod", async () => {
  const manager = await manage();
  await pluginOf(ids("a", "b"));
  await expect.poll(() => amounts(manager), wait).toEqual(["2", "2"]);
  await allocate(manager, podOf("u", [1, 1], [2, 1]));
  expect(has(manager, "u", "i0")).toEqual(["a", "b"]);
  expect([...has(manager, "u", "c0"), ...has(manager, "u", "c1")].toSorted()).toEqual(["a", "b"]);
});

test("the plugin's preference is used as far as it names free devices", async () => {
  const manager = await manage();
  const plugin = await pluginOf(ids("a", "b", "c", "d"), {
    getPreferredAllocationAvailable: true,
    prefer: () => ["nonsense", "d", "b"],
  });
  await expect.poll(() => amounts(manager), wait).toEqual(["4", "4"]);
  await allocate(manager, podOf("u", [2]));
  expect(has(manager, "u")).toEqual(["b", "d"]);
  await allocate(manager, podOf("v", [1]));
  expect(has(manager, "v")).toEqual(["a"]);
  expect(plugin.calls.filter((call) => call.startsWith("prefer"))).toEqual(["prefer 2 of a,b,c,d", "prefer 1 of a,c"]);
});

test("hints name the NUMA nodes of devices, and devices of the chosen nodes come first", async () => {
  const manager = await manage();
  await pluginOf([{ id: "a", nodes: [0] }, { id: "b", nodes: [0] }, { id: "c", nodes: [1] }, { id: "d" }]);
  await expect.poll(() => amounts(manager), wait).toEqual(["4", "4"]);
  const hints = (pod: core.Pod) => manager.provider.podHints(pod).get(resource);
  const [first, second, both] = [maskOf([0]), maskOf([1]), maskOf([0, 1])];
  expect(hints(podOf("u", [1]))).toEqual([
    { nodes: first, preferred: true },
    { nodes: second, preferred: true },
    { nodes: both, preferred: false },
  ]);
  expect(hints(podOf("u", [2]))).toEqual([
    { nodes: first, preferred: true },
    { nodes: both, preferred: false },
  ]);
  await allocate(manager, podOf("u", [1]), { nodes: second, preferred: true });
  await allocate(manager, podOf("v", [2]), { nodes: second, preferred: false });
  expect([has(manager, "u"), has(manager, "v")]).toEqual([["c"], ["a", "b"]]);
  expect(hints(podOf("w", [2]))).toEqual([]);
  expect(manager.devicesOf("u", "c0")).toEqual([{ resource, ids: ["c"], node: 1 }]);
});

test("a resource whose devices belong to no node has no hints", async () => {
  const manager = await manage();
  await pluginOf(ids("a"));
  await expect.poll(() => amounts(manager), wait).toEqual(["1", "1"]);
  expect([...manager.provider.podHints(podOf("u", [1]))]).toEqual([[resource, undefined]]);
});

test("when the agent restarts, containers keep their devices, and plugins register again", async () => {
  const manager = await manage();
  const plugin = await pluginOf([{ id: "a", nodes: [1] }, { id: "b" }]);
  await expect.poll(() => amounts(manager), wait).toEqual(["2", "2"]);
  const pod = podOf("u", [1]);
  await allocate(manager, pod, { nodes: maskOf([1]), preferred: true });
  stop.abort();
  await plugin.stop();
  stop = new AbortController();
  const again = await manage();
  expect(again.devicesOf("u", "c0")).toEqual([{ resource, ids: ["a"], node: 1 }]);
  expect(amounts(again)).toEqual(["0", "0"]);
  await expect(allocate(again, podOf("v", [1]))).rejects.toThrow("no healthy devices present");
  await plugin.start();
  await expect.poll(() => amounts(again), wait).toEqual(["2", "2"]);
  await allocate(again, pod);
  await allocate(again, podOf("v", [1]));
  expect([has(again, "u"), has(again, "v")]).toEqual([["a"], ["b"]]);
  const [container] = pod.spec.containers as [core.Container];
  expect((await again.prepareStart(pod, container, signal)).envs.get("DEVICES")).toBe("a");
});

test("sockets of an earlier agent's plugins are deleted, so that the plugins notice the restart", async () => {
  writeFileSync(join(dir, "stale.sock"), "");
  mkdirSync(join(dir, "folder"));
  await manage();
  expect(() => readFileSync(join(dir, "stale.sock"))).toThrow("ENOENT");
});

test.each([
  ["empty", ""],
  ["truncated", "{"],
  ["with a wrong checksum", '{"Data":{"PodDeviceEntries":[],"RegisteredDevices":{}},"Checksum":1}'],
  [
    "with a NUMA node that is no number",
    '{"Data":{"PodDeviceEntries":[{"PodUID":"u","ContainerName":"c","ResourceName":"r","DeviceIDs":{"x":["a"]},"AllocResp":""}],"RegisteredDevices":{}},"Checksum":1}',
  ],
  ["of other types", '{"Data":3}'],
  ["a list", "[]"],
  ["deeply nested", "[".repeat(1_000_000)],
  ["huge", "x".repeat(17 * 1024 * 1024)],
])("a checkpoint that is %s does not prevent the agent from starting", async (_, text) => {
  writeFileSync(join(dir, "orchlet_internal_checkpoint"), text);
  const manager = await manage();
  await pluginOf(ids("a"));
  await expect.poll(() => amounts(manager), wait).toEqual(["1", "1"]);
});

test.each<[string, () => TestDevicePlugin, string, string]>([
  ["of another version", () => new TestDevicePlugin(dir, resource, []), "v1alpha", "is not supported by orchlet"],
  [
    "of a resource of the system",
    () => new TestDevicePlugin(dir, "cpu", []),
    "v1beta1",
    'the ResourceName "cpu" is invalid',
  ],
  ["of a name that is none", () => new TestDevicePlugin(dir, "a b/c", []), "v1beta1", "is invalid"],
])("a plugin %s is rejected with the reason", async (_, create, version, message) => {
  await manage();
  await expect(create().register(version)).rejects.toThrow(message);
});

test.each(["../x.sock", "/x.sock", ""])("a plugin cannot lead out of the folder: %j", async (endpoint) => {
  await manage();
  await expect(new TestDevicePlugin(dir, resource, []).register("v1beta1", endpoint)).rejects.toThrow(
    "want the name of a socket",
  );
});

test("a plugin that registers but does not serve does not affect others", async () => {
  const manager = await manage();
  await new TestDevicePlugin(dir, "example.com/none", []).register();
  await pluginOf(ids("a"));
  await expect.poll(() => amounts(manager), wait).toEqual(["1", "1"]);
});

test("a new plugin for a resource replaces the previous one", async () => {
  const manager = await manage();
  await pluginOf(ids("a", "b"));
  await expect.poll(() => amounts(manager), wait).toEqual(["2", "2"]);
  const second = new TestDevicePlugin(dir, resource, ids("c"), {}, "second");
  plugins.push(second);
  await second.start();
  await expect.poll(() => amounts(manager), wait).toEqual(["1", "1"]);
});

test.each<[string, NonNullable<TestDevicePlugin["behaviour"]["allocate"]>, string]>([
  [
    "rejects",
    () => {
      throw new Error("card is hot");
    },
    "rpc error: code = Unknown desc = card is hot",
  ],
  ["returns nothing for", () => ({}), "no containers return in allocation response"],
])("if a plugin %s an allocation, its devices stay free", async (_, answer, message) => {
  const manager = await manage();
  const plugin = await pluginOf(ids("a"), { allocate: answer });
  await expect.poll(() => amounts(manager), wait).toEqual(["1", "1"]);
  await expect(allocate(manager, podOf("u", [1]))).rejects.toThrow(message);
  expect(manager.inUse()).toEqual({ [resource]: 0 });
  delete plugin.behaviour.allocate;
  await allocate(manager, podOf("u", [1]));
});

test("an allocation that takes long ends when the pod is gone", async () => {
  const manager = await manage();
  await pluginOf(ids("a"), { allocate: () => new Promise(() => undefined) });
  await expect.poll(() => amounts(manager), wait).toEqual(["1", "1"]);
  const pod = podOf("u", [1]);
  const abort = new AbortController();
  const outcome = manager.provider.allocate(pod, pod.spec.containers[0] as core.Container, anyNode, abort.signal);
  abort.abort();
  await expect(outcome).rejects.toThrow("code = Canceled");
  expect(manager.pods()).toEqual([]);
});

test("a list with very many devices ends the connection", async () => {
  const manager = await manage();
  const plugin = await pluginOf(ids("a"));
  await expect.poll(() => amounts(manager), wait).toEqual(["1", "1"]);
  plugin.set(Array.from({ length: 100_001 }, (_, index) => ({ id: `d${index}` })));
  await expect.poll(() => amounts(manager), wait).toEqual(["1", "0"]);
});

test("very many devices are grouped quickly", async () => {
  const manager = await manage();
  await pluginOf(Array.from({ length: 100_000 }, (_, index) => ({ id: `d${index}`, nodes: [index % 2] })));
  await expect.poll(() => amounts(manager), wait).toEqual(["100000", "100000"]);
  const begunMs = performance.now();
  expect(manager.allocatable().map(({ node, ids: { length } }) => [node, length])).toEqual([
    [0, 50_000],
    [1, 50_000],
  ]);
  // It took so long that the agent did nothing else for several seconds.
  expect(performance.now() - begunMs).toBeLessThan(1000);
});

test.each<[string, { id: string; nodes?: number[] }[]]>([
  [
    "ids that are too long for the checkpoint",
    Array.from({ length: 3 }, (_, index) => ({ id: `${index}`.padEnd(1_000_000) })),
  ],
  ["more NUMA nodes than machines have", [{ id: "a", nodes: Array.from({ length: 65 }, (_, index) => index) }]],
])("a list of devices with %s ends the connection", async (_, devices) => {
  const manager = await manage();
  const plugin = await pluginOf(ids("a"));
  await expect.poll(() => amounts(manager), wait).toEqual(["1", "1"]);
  plugin.set(devices);
  await expect.poll(() => amounts(manager), wait).toEqual(["1", "0"]);
});

test("if a plugin floods the agent with lists, there are few writes, the last list is recorded, and allocations are not delayed", async () => {
  const manager = await manage();
  let changes = 0;
  manager.onChange(() => changes++);
  const plugin = await pluginOf(ids("a"));
  await expect.poll(() => amounts(manager), wait).toEqual(["1", "1"]);
  const path = join(dir, "orchlet_internal_checkpoint");
  const recorded = () =>
    (
      JSON.parse(readFileSync(path, "utf8")) as {
        readonly Data: {
          readonly PodDeviceEntries: readonly object[] | null;
          readonly RegisteredDevices: Readonly<Record<string, readonly string[]>>;
        };
      }
    ).Data;
  for (let count = 2; count <= 200; count++) {
    plugin.set(Array.from({ length: count }, (_, index) => ({ id: `d${index}` })));
    await new Promise((resolve) => setImmediate(resolve));
  }
  await expect.poll(() => amounts(manager), wait).toEqual(["200", "200"]);
  expect(changes).toBe(1);
  expect(recorded().RegisteredDevices[resource]).toHaveLength(1);
  await allocate(manager, podOf("u", [1]));
  expect(recorded().PodDeviceEntries).toHaveLength(1);
  plugin.set(ids("a", "b"));
  await expect.poll(() => amounts(manager), wait).toEqual(["2", "2"]);
  clock.advance(500);
  expect(changes).toBe(2);
  expect(recorded().RegisteredDevices[resource]).toHaveLength(2);
  plugin.set(ids("a", "b", "c"));
  await expect.poll(() => amounts(manager), wait).toEqual(["3", "3"]);
  stop.abort();
  expect(recorded().RegisteredDevices[resource]).toHaveLength(3);
});

test("an allocation with an enormous response fails", async () => {
  const manager = await manage();
  await pluginOf(ids("a"), { allocate: () => ({ containerResponses: [{ envs: { A: "x".repeat(300_000) } }] }) });
  await expect.poll(() => amounts(manager), wait).toEqual(["1", "1"]);
  await expect(allocate(manager, podOf("u", [1]))).rejects.toThrow(/the allocation response has 3\d+ bytes/);
  expect(manager.inUse()).toEqual({ [resource]: 0 });
});

test("plugins cannot give the node more resources than its status can have", async () => {
  const manager = await manage();
  await pluginOf(ids("a"));
  await expect.poll(() => amounts(manager), wait).toEqual(["1", "1"]);
  const endpoint = "example.com_card.sock";
  for (let i = 0; i < 255; i++) await new TestDevicePlugin(dir, `example.com/r${i}`, []).register("v1beta1", endpoint);
  await expect.poll(() => Object.keys(manager.amounts().capacity), wait).toHaveLength(256);
  await expect(new TestDevicePlugin(dir, "example.com/more", []).register()).rejects.toThrow("want at most 256");
  // One that is known can register again.
  await new TestDevicePlugin(dir, "example.com/r0", []).register();
});
