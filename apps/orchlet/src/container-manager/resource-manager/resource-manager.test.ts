import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { core } from "@orchernetes/api";
import { createMetrics } from "@orchernetes/component";
import type { CriClient } from "@orchernetes/cri";
import { silentLogger, systemClock } from "@orchernetes/kernel";
import { afterEach, beforeEach, expect, test } from "vitest";
import { testConfig } from "../../testing/config.ts";
import { writeNumaMachine } from "../../testing/numa-machine.ts";
import { testPod } from "../../testing/pods.ts";
import { resourceManagerErrors } from "./option-errors.ts";
import { createResourceManager } from "./resource-manager.ts";

let dir: string;
let sys: string;
let stop: AbortController;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "o8s-resources-"));
  sys = writeNumaMachine(join(dir, "sys"), { sockets: 2, coresPerNode: 4 });
  stop = new AbortController();
});
afterEach(() => {
  stop.abort();
  rmSync(dir, { recursive: true, force: true });
});

const settingsOf = (settings: object) =>
  testConfig(dir, {
    settings: {
      cpuManagerPolicy: "static",
      reservedSystemCPUs: "0",
      cpuManagerReconcilePeriod: "20ms",
      ...settings,
    },
  }).settings;
const create = (settings: object = {}, metrics = createMetrics()) =>
  createResourceManager({
    ...{ settings: settingsOf(settings), folder: dir, sys, logger: silentLogger, clock: systemClock, metrics },
  });
const resources = (cpu: string) => ({ limits: { cpu, memory: "1Gi" } });
const podOf = (uid: string, ...cpus: readonly string[]): core.Pod =>
  testPod(
    { containers: cpus.map((cpu, index) => ({ name: `c${index}`, image: "i", resources: resources(cpu) })) },
    { uid },
  );

test("with the default policies, no resources are assigned, and every pod is admitted", async () => {
  const manager = create({ cpuManagerPolicy: "none" });
  expect(await manager.admit(podOf("a", "64"), stop.signal)).toBeUndefined();
  expect(manager.placement("a", "c0")).toEqual({});
});

test("a container has its CPUs, and other containers the rest, until its pod ends, also after a restart", async () => {
  const manager = create();
  expect(manager.placement("b", "c0")).toEqual({ cpusetCpus: "0-7" });
  expect(await manager.admit(podOf("a", "2", "500m"), stop.signal)).toBeUndefined();
  for (const one of [manager, create()]) {
    expect(one.placement("a", "c0")).toEqual({ cpusetCpus: "1-2" });
    expect(one.placement("a", "c1")).toEqual({ cpusetCpus: "0,3-7" });
  }
  manager.release("a");
  expect(manager.placement("b", "c0")).toEqual({ cpusetCpus: "0-7" });
});

test("a pod whose CPUs cannot be allocated is rejected with the message of the kubelet", async () => {
  const manager = create({ cpuManagerPolicyOptions: { "full-pcpus-only": "true" } });
  expect(await manager.admit(podOf("a", "8"), stop.signal)).toEqual({
    reason: "SMTAlignmentError",
    message:
      "SMT Alignment Error: not enough free physical CPUs: available physical CPUs = 7, requested CPUs = 8, CPUs per core = 1",
    dependsOnNode: false,
  });
  rmSync(join(dir, "cpu_manager_state"));
  expect(await create().admit(podOf("a", "8"), stop.signal)).toMatchObject({
    reason: "UnexpectedAdmissionError",
    message: "Allocate failed due to not enough cpus available to satisfy request, which is unexpected",
  });
});

test.each([
  ["none", 0],
  ["restricted", 1],
])(
  "with topology policy %s, %i failed allocations count as failed alignments",
  async (topologyManagerPolicy, count) => {
    const metrics = createMetrics();
    const manager = create({ topologyManagerPolicy }, metrics);
    expect(await manager.admit(podOf("a", "8"), stop.signal)).toBeDefined();
    expect(metrics.render()).toContain(`orchlet_topology_manager_admission_errors_total ${count}\n`);
  },
);

// shows: topologyManagerPolicy, topologyManagerScope
test.each([
  ["restricted", "container"],
  ["restricted", "pod"],
  ["best-effort", "container"],
  ["best-effort", "pod"],
])("topology policy %s, scope %s: a pod for which no single NUMA node has enough left", async (policy, scope) => {
  const manager = create({ topologyManagerPolicy: policy, topologyManagerScope: scope });
  for (const pod of [podOf("a", "2"), podOf("b", "3")]) expect(await manager.admit(pod, stop.signal)).toBeUndefined();
  expect([manager.placement("a", "c0").cpusetCpus, manager.placement("b", "c0").cpusetCpus]).toEqual(["1-2", "4-6"]);
  const refusal = await manager.admit(podOf("c", "2"), stop.signal);
  if (policy === "restricted") expect(refusal?.reason).toBe("TopologyAffinityError");
  else expect([refusal, manager.placement("c", "c0").cpusetCpus]).toEqual([undefined, "3,7"]);
});

test("topology policy single-numa-node: a pod that needs two NUMA nodes is rejected", async () => {
  const manager = create({ topologyManagerPolicy: "single-numa-node" });
  expect(await manager.admit(podOf("a", "5"), stop.signal)).toEqual({
    reason: "TopologyAffinityError",
    message: "Resources cannot be allocated with Topology locality",
    dependsOnNode: false,
  });
  expect(await manager.admit(podOf("b", "2", "2"), stop.signal)).toBeUndefined();
});

// shows: topologyManagerScope
test("with scope pod, the containers must fit on the NUMA nodes together; with scope container, each of them alone", async () => {
  const pod = podOf("a", "2", "2", "2");
  const of = (topologyManagerScope: string) =>
    create({ topologyManagerPolicy: "single-numa-node", topologyManagerScope });
  const one = of("container");
  expect(await one.admit(pod, stop.signal)).toBeUndefined();
  one.release("a");
  expect(await of("pod").admit(pod, stop.signal)).toMatchObject({ reason: "TopologyAffinityError" });
});

test("the memory and CPUs of a container are on the same NUMA node, and are shown", async () => {
  const manager = create({
    ...{ topologyManagerPolicy: "single-numa-node", memoryManagerPolicy: "Static", systemReserved: { memory: "1Gi" } },
    reservedMemory: [{ numaNode: 0, limits: { memory: "1Gi" } }],
  });
  for (const uid of ["a", "b"]) expect(await manager.admit(podOf(uid, "3"), stop.signal)).toBeUndefined();
  expect([manager.placement("a", "c0"), manager.placement("b", "c0"), manager.placement("x", "c0")]).toEqual([
    { cpusetCpus: "1-3", cpusetMems: "0" },
    { cpusetCpus: "4-6", cpusetMems: "1" },
    { cpusetCpus: "0,7" },
  ]);
  const gib = 1024 ** 3;
  expect(manager.assigned("b", "c0")).toEqual({
    ...{ devices: [], cpus: [4, 5, 6], memory: [{ kind: "memory", nodes: [1], bytes: gib }] },
  });
  expect(manager.allocatable()).toMatchObject({ cpus: [1, 2, 3, 4, 5, 6, 7], memory: [{ bytes: 3 * gib }, {}] });
  expect(await manager.admit(podOf("c", "2"), stop.signal)).toMatchObject({ reason: "TopologyAffinityError" });
  manager.release("a");
  expect(manager.placement("a", "c0")).toEqual({ cpusetCpus: "0-3,7" });
});

// shows: cpuManagerReconcilePeriod
test("running containers are updated to the shared CPUs, and the CPUs of removed pods are released", async () => {
  const manager = create();
  await manager.admit(podOf("a", "2"), stop.signal);
  const updates: string[] = [];
  const running = [{ id: "b1", labels: { "io.orchernetes.pod.uid": "b", "io.orchernetes.container.name": "c0" } }];
  const cri = {
    runtime: {
      listContainers: async () => ({ containers: running }),
      updateContainerResources: async ({ linux }: { linux: { cpusetCpus: string } }) => updates.push(linux.cpusetCpus),
    },
  } as unknown as CriClient;
  const known = new Set(["a", "b"]);
  let isRead = false;
  const work = manager.run({ cri, knows: (uid) => known.has(uid), allSourcesRead: () => isRead }, stop.signal);
  await expect.poll(() => updates).toEqual(["0,3-7"]);
  known.delete("a");
  await systemClock.sleep(60);
  expect(updates.length).toBe(1);
  isRead = true;
  await expect.poll(() => updates).toEqual(["0,3-7", "0-7"]);
  stop.abort();
  await Promise.all(work);
});

test("resources cannot be aligned on a machine with more than eight NUMA nodes", () => {
  sys = writeNumaMachine(join(dir, "nine"), { sockets: 9, coresPerNode: 1 });
  expect(() => create({ topologyManagerPolicy: "best-effort" })).toThrow(
    "unsupported on machines with more than 8 NUMA Nodes: found 9",
  );
});

test.each<[string, object, readonly string[], string | undefined]>([
  [
    "a beta option",
    { "full-pcpus-only": "true" },
    ["CPUManagerPolicyOptions", "CPUManagerPolicyBetaOptions"],
    undefined,
  ],
  [
    "options without their gate",
    { "full-pcpus-only": "true" },
    [],
    "want it unset, or feature gate CPUManagerPolicyOptions on",
  ],
  [
    "a beta option without its gate",
    { "full-pcpus-only": "true" },
    ["CPUManagerPolicyOptions"],
    'Beta-level Options not enabled, but option "full-pcpus-only" provided',
  ],
  [
    "an alpha option without its gate",
    { "align-by-socket": "true" },
    ["CPUManagerPolicyOptions", "CPUManagerPolicyBetaOptions"],
    'Alpha-level Options not enabled, but option "align-by-socket" provided',
  ],
  ["an unknown option", { other: "true" }, ["CPUManagerPolicyOptions"], 'unknown CPU Manager Policy option: "other"'],
  [
    "a value that is none",
    { "full-pcpus-only": "yes" },
    ["CPUManagerPolicyOptions", "CPUManagerPolicyBetaOptions"],
    'bad value for option: found "yes"; want true or false',
  ],
])("options of the CPU manager: %s", (_, cpuManagerPolicyOptions, gates, message) => {
  const errors = resourceManagerErrors(settingsOf({ cpuManagerPolicyOptions }), (gate) => gates.includes(gate));
  if (message === undefined) expect(errors).toEqual([]);
  else expect(errors.join()).toContain(message);
});

test.each<[string, object, string]>([
  [
    "options of policy none",
    { cpuManagerPolicy: "none", cpuManagerPolicyOptions: { "full-pcpus-only": "true" } },
    "None policy",
  ],
  [
    "align-by-socket with single-numa-node",
    { topologyManagerPolicy: "single-numa-node", cpuManagerPolicyOptions: { "align-by-socket": "true" } },
    "incompatible with CPUManager align-by-socket",
  ],
  [
    "an unknown option of the topology manager",
    { topologyManagerPolicyOptions: { a: "true" } },
    "unknown Topology Manager",
  ],
  ["the memory manager without its gate", { memoryManagerPolicy: "Static" }, "feature gate MemoryManager on"],
  ["reserved CPUs that are no list", { reservedSystemCPUs: "a-b" }, "want one such as 0-3,7"],
])("%s are rejected", (_, settings, message) => {
  const gates = (gate: string) => gate !== "MemoryManager";
  expect(resourceManagerErrors(settingsOf(settings), gates).join()).toContain(message);
});
