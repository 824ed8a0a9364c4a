import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { core } from "@orchernetes/api";
import { createMetrics } from "@orchernetes/component";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type NumaMachine, writeNumaMachine } from "../../testing/numa-machine.ts";
import { testPod } from "../../testing/pods.ts";
import { CpuSet } from "../topology/cpu-set.ts";
import type { CpuTopology } from "../topology/cpu-topology.ts";
import { readMachineTopology } from "../topology/machine-topology.ts";
import { maskOf } from "../topology/numa-mask.ts";
import { anyNode } from "../topology-manager/hint.ts";
import { createCpuManager } from "./cpu-manager.ts";
import { type CpuOptions, readCpuOptions } from "./cpu-options.ts";
import { CpuState } from "./cpu-state.ts";
import { StaticCpuPolicy } from "./static-cpu-policy.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "o8s-static-cpus-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

let machines = 0;
const topologyOf = (machine: NumaMachine): CpuTopology =>
  readMachineTopology(writeNumaMachine(join(dir, `machine-${machines++}`), machine)).cpus;
const none: CpuOptions = readCpuOptions({});
const open = () => CpuState.open(join(dir, "cpu_manager_state"), "static");

function policyOf(topology: CpuTopology, options: Partial<CpuOptions> = {}, reserved: CpuSet | number = 1) {
  const state = open();
  return { state, policy: new StaticCpuPolicy(topology, { ...none, ...options }, reserved, state) };
}

const resources = (cpu: string) => ({ limits: { cpu, memory: "1Gi" }, requests: { cpu, memory: "1Gi" } });
const container = (name: string, cpu: string) => ({ name, image: "i", resources: resources(cpu) });
const podOf = (uid: string, cpus: readonly string[], init: readonly string[] = []): core.Pod =>
  testPod(
    {
      containers: cpus.map((cpu, index) => container(`c${index}`, cpu)),
      initContainers: init.map((cpu, index) => container(`i${index}`, cpu)),
    },
    { uid },
  );
const all = (pod: core.Pod) => [...(pod.spec.initContainers ?? []), ...pod.spec.containers];
const allocate = (policy: StaticCpuPolicy, pod: core.Pod, hint = anyNode) => {
  for (const one of all(pod)) policy.allocate(pod, one, hint);
};

// shows: cpuManagerPolicy
test("containers of Guaranteed pods that request whole CPUs get exclusive CPUs; other containers share the rest", () => {
  const { policy, state } = policyOf(topologyOf({ sockets: 1, coresPerNode: 4, threadsPerCore: 2 }), {}, 2);
  expect(String(policy.reserved)).toBe("0,4");
  allocate(policy, podOf("a", ["2", "1"]));
  expect([String(state.of("a", "c0")), String(state.of("a", "c1")), String(state.shared)]).toEqual([
    "1,5",
    "2",
    "0,3-4,6-7",
  ]);
  allocate(policy, podOf("b", ["1500m"]));
  allocate(policy, testPod({ containers: [{ name: "c0", image: "i", resources: { requests: { cpu: "1" } } }] }));
  expect([...state.assignments.keys()]).toEqual(["a"]);
  policy.release("a");
  expect(String(state.shared)).toBe("0-7");
});

test("a pod keeps its CPUs when it is allocated again", () => {
  const topology = topologyOf({ sockets: 1, coresPerNode: 4 });
  const pod = podOf("a", ["2"]);
  const { policy, state } = policyOf(topology);
  allocate(policy, pod);
  const before = String(state.of("a", "c0"));
  allocate(policy, pod);
  const again = policyOf(topology);
  allocate(again.policy, pod);
  expect([before, String(again.state.of("a", "c0")), String(again.state.shared)]).toEqual(["1-2", "1-2", "0,3"]);
});

test("the CPUs of init containers are reused by the containers of the pod", () => {
  const { policy, state } = policyOf(topologyOf({ sockets: 1, coresPerNode: 4 }));
  const pod = podOf("a", ["2", "1"], ["1", "3"]);
  allocate(policy, pod);
  const of = (name: string) => String(state.of("a", name));
  expect([of("i0"), of("i1"), of("c0"), of("c1"), String(state.shared)]).toEqual(["1", "1-3", "1-2", "3", "0"]);
  policy.release("a");
  expect(String(state.shared)).toBe("0-3");
});

test("more CPUs than the unreserved ones cannot be allocated", () => {
  const { policy, state } = policyOf(topologyOf({ sockets: 1, coresPerNode: 4 }), {}, CpuSet.parse("2-3"));
  expect(String(policy.allocatable)).toBe("0-1");
  expect(() => allocate(policy, podOf("a", ["3"]))).toThrow("not enough cpus available to satisfy request");
  expect(state.assignments.size).toBe(0);
});

// shows: cpuManagerPolicyOptions
test("full-pcpus-only: containers do not share a core", () => {
  const topology = topologyOf({ sockets: 1, coresPerNode: 4, threadsPerCore: 2 });
  const { policy, state } = policyOf(topology, { fullCoresOnly: true }, CpuSet.parse("0"));
  expect(() => allocate(policy, podOf("a", ["1"]))).toThrow(
    "SMT Alignment Error: requested 1 cpus not multiple cpus per core = 2",
  );
  allocate(policy, podOf("b", ["4"]));
  expect(String(state.of("b", "c0"))).toBe("1-2,5-6");
  expect(() => allocate(policy, podOf("c", ["4"]))).toThrow(
    "SMT Alignment Error: not enough free physical CPUs: available physical CPUs = 2, requested CPUs = 4, CPUs per core = 2",
  );
});

test("distribute-cpus-across-numa: a container that needs two nodes gets the same number of CPUs from each", () => {
  const topology = topologyOf({ sockets: 2, coresPerNode: 4 });
  const { policy, state } = policyOf(topology, { distributeAcrossNuma: true }, CpuSet.parse("0,4"));
  allocate(policy, podOf("a", ["4"]));
  const cpus = state.of("a", "c0") ?? CpuSet.empty;
  expect(topology.ids("node").map((node) => cpus.intersection(topology.cpusIn("node", node)).size)).toEqual([2, 2]);
});

// shows: cpuManagerPolicyOptions
test("align-by-socket: NUMA nodes of the same socket are preferred", () => {
  const topology = topologyOf({ sockets: 2, nodesPerSocket: 2, coresPerNode: 2 });
  const { policy, state } = policyOf(topology, { alignBySocket: true }, CpuSet.parse("0"));
  const pod = podOf("a", ["3"]);
  allocate(policy, pod, { nodes: maskOf([2]), preferred: true });
  expect(String(state.of("a", "c0"))).toBe("4-6");
  const hints = policy.containerHints(podOf("b", ["2"]), container("c0", "2") as core.Container).get("cpu");
  expect(hints?.find(({ nodes }) => nodes === maskOf([0, 1]))?.preferred).toBe(true);
  expect(hints?.find(({ nodes }) => nodes === maskOf([1, 2]))?.preferred).toBe(false);
  expect(() => policyOf(topologyOf({ sockets: 2, coresPerNode: 1 }), { alignBySocket: true })).toThrow();
});

test("CPUs of the chosen NUMA nodes come first", () => {
  const { policy, state } = policyOf(topologyOf({ sockets: 2, coresPerNode: 4 }));
  allocate(policy, podOf("a", ["2"]), { nodes: maskOf([1]), preferred: true });
  allocate(policy, podOf("b", ["3"]), { nodes: maskOf([1]), preferred: false });
  expect([String(state.of("a", "c0")), String(state.of("b", "c0"))]).toEqual(["4-5", "1,6-7"]);
});

test("hints name the NUMA nodes that have enough free CPUs, and prefer the smallest number that could suffice", () => {
  const { policy } = policyOf(topologyOf({ sockets: 2, coresPerNode: 4 }));
  const hints = (pod: core.Pod) => policy.podHints(pod).get("cpu");
  const [first, second, both] = [maskOf([0]), maskOf([1]), maskOf([0, 1])];
  expect(hints(podOf("a", ["3"]))).toEqual([
    { nodes: first, preferred: true },
    { nodes: second, preferred: true },
    { nodes: both, preferred: false },
  ]);
  expect(hints(podOf("b", ["2", "2"]))).toEqual([
    { nodes: second, preferred: true },
    { nodes: both, preferred: false },
  ]);
  expect(hints(podOf("c", ["5"]))).toEqual([{ nodes: both, preferred: true }]);
  expect(hints(podOf("d", ["8"]))).toEqual([]);
  expect(hints(podOf("e", ["500m"]))).toBeUndefined();
  const pod = podOf("f", ["3"]);
  allocate(policy, pod, { nodes: second, preferred: true });
  expect(policy.containerHints(pod, all(pod)[0] as core.Container).get("cpu")).toEqual([
    { nodes: second, preferred: true },
    { nodes: both, preferred: false },
  ]);
});

test.each<[string, (state: CpuState) => void, string]>([
  [
    "CPUs that the machine does not have",
    (state) => state.share(CpuSet.parse("0-9")),
    "doesn't match with CPUs in state",
  ],
  [
    "reserved CPUs that a container has",
    (state) => {
      state.share(CpuSet.parse("0-3"));
      state.assign("u", "c", CpuSet.parse("0"));
    },
    'not all reserved cpus: "0" are present in defaultCpuSet: "1-3"',
  ],
  [
    "no CPUs to share",
    (state) => {
      state.share(CpuSet.parse("0-3"));
      state.assign("u", "c", CpuSet.parse("0-3"));
    },
    "default cpuset cannot be empty",
  ],
  [
    "CPUs that are shared and assigned",
    (state) => {
      state.share(CpuSet.parse("0-3"));
      state.assign("u", "c", CpuSet.parse("3"));
      state.share(CpuSet.parse("0-3"));
    },
    "overlaps with default cpuset",
  ],
])("a state with %s is rejected", (_, write, message) => {
  write(open());
  expect(() => policyOf(topologyOf({ sockets: 1, coresPerNode: 4 }), {}, CpuSet.parse("0"))).toThrow(message);
});

test("the static policy needs reserved CPUs that exist", () => {
  const topology = topologyOf({ sockets: 1, coresPerNode: 2 });
  const create = (settings: object) => () =>
    createCpuManager({
      folder: dir,
      topology,
      metrics: createMetrics(),
      settings: {
        ...{ cpuManagerPolicy: "static", cpuManagerPolicyOptions: {}, reservedSystemCPUs: "" },
        ...{ systemReserved: {}, orchReserved: {}, ...settings },
      },
    });
  expect(create({})).toThrow("requires systemreserved.cpu + orchreserved.cpu to be greater than zero");
  expect(create({ orchReserved: { cpu: "5" } })).toThrow("unable to reserve the required amount of CPUs");
  expect(create({ reservedSystemCPUs: "7" })).toThrow('unable to reserve CPUs "7": the machine has "0-1"');
  expect(String(create({ orchReserved: { cpu: "100m" } })().allocatable)).toBe("1");
});

/** A small generator of numbers, so that a failing case can be repeated. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

test("whatever pods come and go, no CPU is assigned twice, no reserved CPU is assigned, and all are free in the end", () => {
  for (let seed = 1; seed <= 12; seed++) {
    const next = random(seed);
    const topology = topologyOf({
      ...{ sockets: 1 + next(2), nodesPerSocket: 1 + next(2), coresPerNode: 1 + next(4), threadsPerCore: 1 + next(2) },
    });
    rmSync(join(dir, "cpu_manager_state"), { force: true });
    const options = { distributeAcrossNuma: next(2) === 1, fullCoresOnly: next(2) === 1 };
    let { policy, state } = policyOf(topology, options);
    /** What the model says that each pod has: the sets of its containers at any time. */
    const pods = new Map<string, core.Pod>();
    for (let step = 0; step < 40; step++) {
      const uid = `u${next(6)}`;
      if (next(3) === 0) {
        policy.release(uid);
        pods.delete(uid);
      } else if (!pods.has(uid)) {
        const amounts = (most: number) => Array.from({ length: next(most) }, () => String(1 + next(4)));
        const pod = podOf(uid, [String(1 + next(3)), ...amounts(2)], amounts(3));
        try {
          allocate(policy, pod);
          pods.set(uid, pod);
        } catch {
          policy.release(uid);
        }
      }
      if (next(10) === 0) ({ policy, state } = policyOf(topology, options));
      check(topology, policy, state, pods);
    }
    for (const uid of pods.keys()) policy.release(uid);
    expect(String(state.shared)).toBe(String(topology.cpus));
  }
});

function check(
  topology: CpuTopology,
  policy: StaticCpuPolicy,
  state: CpuState,
  pods: ReadonlyMap<string, core.Pod>,
): void {
  const owners = new Map<number, string>();
  for (const [uid, pod] of pods) {
    for (const { name, resources: wanted } of all(pod))
      expect(state.of(uid, name)?.size).toBe(Number(wanted?.requests?.cpu));
    const running = pod.spec.containers.flatMap(({ name }) => state.of(uid, name)?.numbers ?? []);
    expect(new Set(running).size).toBe(running.length);
    for (const one of all(pod))
      for (const cpu of state.of(uid, one.name)?.numbers ?? []) {
        expect(owners.get(cpu) ?? uid).toBe(uid);
        expect(policy.reserved.has(cpu)).toBe(false);
        owners.set(cpu, uid);
      }
  }
  expect([...state.assignments.keys()].toSorted()).toEqual([...pods.keys()].toSorted());
  expect(String(state.shared)).toBe(String(topology.cpus.filter((cpu) => !owners.has(cpu))));
}
