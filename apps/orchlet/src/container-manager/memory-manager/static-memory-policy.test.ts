import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { core } from "@orchernetes/api";
import { valueOf as wholeValueOf } from "@orchernetes/apimachinery";
import { orchletConfigurationSchema } from "@orchernetes/config";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type NumaMachine, writeNumaMachine } from "../../testing/numa-machine.ts";
import { testPod } from "../../testing/pods.ts";
import { readMachineTopology } from "../topology/machine-topology.ts";
import { maskOf } from "../topology/numa-mask.ts";
import { anyNode, type HintProvider, type TopologyHint } from "../topology-manager/hint.ts";
import { createMemoryManager, type MemoryManager } from "./memory-manager.ts";

const gib = 1024 ** 3;
let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "o8s-memory-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** Two NUMA nodes with 4 GiB each, of which 1 GiB of the first is reserved. */
const usual: NumaMachine = { sockets: 2, coresPerNode: 2, memoryBytes: 4 * gib };
const reservation = {
  systemReserved: { memory: "1Gi" },
  reservedMemory: [{ numaNode: 0, limits: { memory: "1Gi" } }],
};

let machines = 0;
function manage(settings: object = reservation, machine: NumaMachine = usual): MemoryManager {
  const { nodes } = readMachineTopology(writeNumaMachine(join(dir, `machine-${machines++}`), machine));
  const parsed = orchletConfigurationSchema.parse({
    ...{ apiVersion: "orchlet.config.o8s.io/v1beta1", kind: "OrchletConfiguration", evictionHard: {} },
    ...{ memoryManagerPolicy: "Static", ...settings },
  });
  return createMemoryManager(dir, parsed, nodes);
}
function providerOf({ provider }: MemoryManager): HintProvider {
  if (provider === undefined) throw new Error("no policy");
  return provider;
}

const resources = (memory: string) => ({ limits: { cpu: "1", memory } });
const podOf = (uid: string, amounts: readonly string[], init: readonly string[] = []): core.Pod =>
  testPod(
    {
      containers: amounts.map((memory, index) => ({ name: `c${index}`, image: "i", resources: resources(memory) })),
      initContainers: init.map((memory, index) => ({ name: `i${index}`, image: "i", resources: resources(memory) })),
    },
    { uid },
  );
function allocate(manager: MemoryManager, pod: core.Pod, hint: TopologyHint = anyNode): void {
  for (const container of [...(pod.spec.initContainers ?? []), ...pod.spec.containers])
    providerOf(manager).allocate(pod, container, hint, new AbortController().signal);
}
const free = (manager: MemoryManager, wanted: string) =>
  providerOf(manager)
    .podHints(podOf("probe", [wanted]))
    .get("memory");
const on = (...nodes: readonly number[]) => maskOf(nodes);

// shows: memoryManagerPolicy
test("containers of Guaranteed pods get the memory of one NUMA node if it is sufficient", () => {
  const manager = manage();
  allocate(manager, podOf("a", ["2Gi"]));
  allocate(manager, podOf("b", ["2Gi"]));
  expect([manager.nodesOf("a", "c0"), manager.nodesOf("b", "c0")]).toEqual([[0], [1]]);
  allocate(manager, testPod({}, { uid: "c" }));
  expect([manager.nodesOf("c", "c"), manager.pods()]).toEqual([[], ["a", "b"]]);
});

test("a NUMA node that is used alone is not used in a group, and vice versa", () => {
  const manager = manage();
  allocate(manager, podOf("a", ["6Gi"]));
  expect(manager.nodesOf("a", "c0")).toEqual([0, 1]);
  expect(free(manager, "512Mi")).toEqual([{ nodes: on(0, 1), preferred: false }]);
  expect(() => allocate(manager, podOf("b", ["512Mi"]))).toThrow("failed to find the default preferred hint");
  providerOf(manager).release("a");
  allocate(manager, podOf("b", ["512Mi"]));
  // Without a hint, the pod passes the topology manager, and the allocation says why it is rejected.
  expect(free(manager, "6Gi")).toBeUndefined();
  expect(() => allocate(manager, podOf("c", ["6Gi"]))).toThrow(
    "failed to get the default NUMA affinity, no NUMA nodes with enough memory is available",
  );
});

test("the chosen NUMA nodes are used, together with others if they are not sufficient", () => {
  const manager = manage();
  allocate(manager, podOf("a", ["1Gi"]), { nodes: on(1), preferred: true });
  expect(manager.nodesOf("a", "c0")).toEqual([1]);
  providerOf(manager).release("a");
  allocate(manager, podOf("b", ["6Gi"]), { nodes: on(1), preferred: false });
  expect(manager.nodesOf("b", "c0")).toEqual([0, 1]);
  expect(() => allocate(manager, podOf("c", ["512Mi"]), { nodes: on(1), preferred: false })).toThrow(
    "preferred hint violates NUMA node allocation",
  );
});

test("the memory of init containers is reused by the containers of the pod", () => {
  const manager = manage();
  allocate(manager, podOf("a", ["1Gi", "1Gi"], ["2Gi", "1Gi"]));
  // 3 GiB of the first node are allocatable, and two of them are in use.
  allocate(manager, podOf("b", ["1Gi"]));
  expect([manager.nodesOf("a", "c1"), manager.nodesOf("b", "c0")]).toEqual([[0], [0]]);
  providerOf(manager).release("a");
  providerOf(manager).release("b");
  allocate(manager, podOf("c", ["7Gi"]));
});

test("the memory of an init container is free when the next container starts, except for what that one reuses", () => {
  const manager = manage();
  const pod = podOf("a", ["1Gi"], ["2Gi", "3Gi"]);
  allocate(manager, pod);
  manager.releaseInitContainersBefore(pod, "i1");
  expect([manager.nodesOf("a", "i0"), manager.nodesOf("a", "i1")]).toEqual([[], [0]]);
  expect(free(manager, "2Gi")).toEqual([{ nodes: on(1), preferred: true }]);
  manager.releaseInitContainersBefore(pod, "c0");
  expect([manager.nodesOf("a", "i1"), manager.nodesOf("a", "c0")]).toEqual([[], [0]]);
  expect(free(manager, "2Gi")).toContainEqual({ nodes: on(0), preferred: true });
  providerOf(manager).release("a");
  allocate(manager, podOf("b", ["7Gi"]));
});

test("memory that a container has in another amount than it requests has no hints", () => {
  const manager = manage();
  allocate(manager, podOf("a", ["1Gi"]));
  const [container] = podOf("a", ["2Gi"]).spec.containers as [core.Container];
  expect(providerOf(manager).containerHints(podOf("a", ["2Gi"]), container).size).toBe(0);
});

test("a pod as a whole has hints only for what its containers request, not for what only an init container does", () => {
  const manager = manage(reservation, { ...usual, hugePages: { "2048": 256 } });
  const limits = { cpu: "1", memory: "1Gi" };
  const pod = testPod({
    containers: [{ name: "c", image: "i", resources: { limits } }],
    initContainers: [{ name: "i", image: "i", resources: { limits: { ...limits, "hugepages-2Mi": "2Mi" } } }],
  });
  expect([...providerOf(manager).podHints(pod).keys()]).toEqual(["memory"]);
});

test("kinds of memory of which nothing can be allocated are not shown", () => {
  const manager = manage(reservation, { ...usual, hugePages: { "2048": 0 } });
  expect(manager.allocatable().map(({ kind }) => kind)).toEqual(["memory", "memory"]);
});

test("the memory of containers is known after a restart", () => {
  const manager = manage();
  const pod = podOf("a", ["2Gi"]);
  allocate(manager, pod);
  const again = manage();
  allocate(again, pod);
  expect([again.nodesOf("a", "c0"), again.blocksOf("a", "c0")]).toEqual([
    [0],
    [{ nodes: [0], kind: "memory", bytes: 2 * gib }],
  ]);
  expect(
    providerOf(again)
      .containerHints(pod, pod.spec.containers[0] as core.Container)
      .get("memory"),
  ).toEqual([{ nodes: on(0), preferred: true }]);
  expect(again.allocatable()).toEqual([
    { kind: "memory", nodes: [0], bytes: 3 * gib },
    { kind: "memory", nodes: [1], bytes: 4 * gib },
  ]);
});

test("huge pages are allocated on the same NUMA nodes", () => {
  const manager = manage(reservation, { ...usual, hugePages: { "2048": 256 } });
  const limits = { cpu: "1", memory: "1Gi", "hugepages-2Mi": "512Mi" };
  const pod = (uid: string) => testPod({ containers: [{ name: "c", image: "i", resources: { limits } }] }, { uid });
  for (const uid of ["a", "b"]) allocate(manager, pod(uid));
  expect([manager.nodesOf("a", "c"), manager.nodesOf("b", "c")]).toEqual([[0], [1]]);
  expect(
    manager
      .blocksOf("a", "c")
      .map(({ kind }) => kind)
      .toSorted(),
  ).toEqual(["hugepages-2Mi", "memory"]);
  expect(() => allocate(manager, pod("c"))).toThrow("no NUMA nodes with enough memory is available");
});

// shows: reservedMemory
test.each<[string, object, string]>([
  [
    "less than other settings reserve",
    { ...reservation, evictionHard: { "memory.available": "100Mi" } },
    `the total amount "${gib}" of type "memory" is not equal to the value "${gib + 100 * 1024 ** 2}" determined by Node Allocatable feature`,
  ],
  [
    "a share of the machine",
    { ...reservation, evictionHard: { "memory.available": "25%" } },
    `is not equal to the value "${3 * gib}"`,
  ],
  ["nothing", { reservedMemory: [] }, "you should specify the system reserved memory"],
  [
    "memory of a node that is not there",
    { ...reservation, reservedMemory: [{ numaNode: 7, limits: { memory: "1Gi" } }] },
    "the machine has no NUMA node 7; want 0, 1",
  ],
])("reservedMemory of %s is rejected", (_, settings, message) => {
  expect(() => manage(settings)).toThrow(message);
});

test("the state of another machine or of other reservations is rejected", () => {
  allocate(manage(), podOf("a", ["1Gi"]));
  expect(() => manage(reservation, { ...usual, memoryBytes: 5 * gib })).toThrow(
    "the expected machine state is different from the real one",
  );
  expect(() => manage(reservation, { ...usual, sockets: 1 })).toThrow("different from the real one");
  const two = { systemReserved: { memory: "1Gi" }, reservedMemory: [{ numaNode: 1, limits: { memory: "1Gi" } }] };
  expect(() => manage(two)).toThrow("different from the real one");
  expect(() => manage({ ...reservation, memoryManagerPolicy: "None" })).toThrow("differs from state checkpoint policy");
});

/** A small generator of numbers, so that a failing case can be repeated. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

test("whatever pods come and go, no NUMA node provides more than its memory, and all memory is free in the end", () => {
  for (let seed = 1; seed <= 8; seed++) {
    const next = random(seed);
    rmSync(join(dir, "memory_manager_state"), { force: true });
    const machine = { sockets: 1 + next(3), coresPerNode: 1, memoryBytes: 4 * gib };
    let manager = manage(reservation, machine);
    const pods = new Map<string, core.Pod>();
    const amounts = (most: number) => Array.from({ length: next(most) }, () => `${256 * (1 + next(16))}Mi`);
    for (let step = 0; step < 40; step++) {
      const uid = `u${next(6)}`;
      if (next(3) === 0) {
        providerOf(manager).release(uid);
        pods.delete(uid);
      } else if (!pods.has(uid)) {
        const pod = podOf(uid, ["256Mi", ...amounts(3)], amounts(3));
        try {
          allocate(manager, pod);
          pods.set(uid, pod);
        } catch {
          providerOf(manager).release(uid);
        }
      }
      // A restart checks that what is allocated is what containers have.
      if (next(8) === 0) manager = manage(reservation, machine);
      check(manager, pods);
    }
    for (const uid of pods.keys()) providerOf(manager).release(uid);
    const all = 4 * machine.sockets - 1;
    expect(free(manager, `${all}Gi`)?.length).toBe(1);
  }
});

/** The containers that run at the same time have together at most what each group of nodes has. */
function check(manager: MemoryManager, pods: ReadonlyMap<string, core.Pod>): void {
  const groups = new Map<string, number>();
  for (const [uid, pod] of pods)
    for (const { name, resources: wanted } of pod.spec.containers) {
      const [block] = manager.blocksOf(uid, name);
      expect(block?.bytes).toBe(wholeValueOf(wanted?.requests?.memory ?? "0"));
      const key = block?.nodes.join() ?? "";
      groups.set(key, (groups.get(key) ?? 0) + (block?.bytes ?? 0));
    }
  const seen = new Set<string>();
  for (const [key, bytes] of groups) {
    const nodes = key.split(",").map(Number);
    for (const node of key.split(",")) expect(seen.has(node)).toBe(false);
    for (const node of key.split(",")) seen.add(node);
    const limit = manager
      .allocatable()
      .filter((block) => nodes.includes(block.nodes[0] ?? -1))
      .reduce((sum, block) => sum + block.bytes, 0);
    expect(bytes).toBeLessThanOrEqual(limit);
  }
}
