import { createMetrics } from "@orchernetes/component";
import { FakeClock, silentLogger } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import { addEvictionMetrics } from "../metrics/eviction-metrics.ts";
import type { NodeHealth } from "../node/conditions.ts";
import type { PodUse } from "../stats/summary/pod-use.ts";
import { testPod } from "../testing/pods.ts";
import type { PodFailure } from "../types/pod-failure.ts";
import { EvictionManager, type EvictionOptions } from "./eviction-manager.ts";
import { type EvictionSignal, evictionSignals, type SignalReading, signalMeanings } from "./signals.ts";
import type { Threshold } from "./thresholds.ts";

const hard = (signal: EvictionSignal, reclaim?: string): Threshold => ({ signal, minimum: "100", graceMs: 0, reclaim });
const nothing: PodUse = {
  memoryBytes: 0,
  processes: 0,
  containers: [],
  volumes: new Map(),
  ephemeral: { usedBytes: 0, inodesUsed: 0 },
};
const calm = { memory: false, disk: false, pids: false };

/** Pods that are evicted are still there when nobody waits for them any longer. */
function slowEnd() {
  const given = new Map<string, number | undefined>();
  const end: EvictionOptions["end"] = async (uid, { graceSeconds }) => void given.set(uid, graceSeconds);
  return { given, end };
}

/** A node with a manager, whose signals the test sets. Pods end as soon as they are evicted, unless `stuck`. */
function node(thresholds: readonly Threshold[], changes: Partial<EvictionOptions> & { readonly stuck?: boolean } = {}) {
  const clock = new FakeClock();
  const metrics = createMetrics();
  const end = new AbortController();
  const pods = new Map<string, { pod: ReturnType<typeof testPod>; isEnding: boolean }>();
  const uses = new Map<string, PodUse>();
  const failures = new Map<string, PodFailure>();
  const done: string[] = [];
  const shown: NodeHealth["pressure"][] = [];
  const state = {
    /** What is available of each resource. */
    available: new Map<EvictionSignal, number>(evictionSignals.map((signal) => [signal, 500])),
    hasImageDisk: false,
    /** What the removal of containers and images makes available. */
    freed: 0,
  };
  const free = (what: string) => async () => {
    done.push(`remove ${what}`);
    for (const [signal, available] of state.available) state.available.set(signal, available + state.freed);
  };
  const manager = new EvictionManager({
    thresholds,
    localStorage: false,
    maxPodGraceSeconds: 0,
    transitionMs: 300_000,
    readNode: async () => ({
      signals: new Map(
        [...state.available].map(([signal, available]): [EvictionSignal, SignalReading] => [
          signal,
          { available, capacity: 1000 },
        ]),
      ),
      hasImageDisk: state.hasImageDisk,
      atMs: clock.monotonicMs(),
    }),
    readPods: async () => uses,
    pods: () => [...pods.values()],
    isCleared: (uid) => !pods.has(uid),
    reclaim: { containers: free("containers"), images: free("images") },
    recordNodeEvent: (reason, message) => void done.push(`node ${reason}: ${message}`),
    recordEvent: (pod, reason, message) => void done.push(`${pod.metadata.name} ${reason}: ${message}`),
    end(uid, failure) {
      failures.set(uid, failure);
      const found = pods.get(uid);
      if (found === undefined) return undefined;
      found.isEnding = true;
      if (changes.stuck) return new Promise(() => undefined);
      pods.delete(uid);
      return Promise.resolve();
    },
    onPressure: (pressure) => void shown.push(pressure),
    disruption: true,
    metrics: addEvictionMetrics(metrics),
    clock,
    logger: silentLogger,
    signal: end.signal,
    ...changes,
  });
  return {
    ...{ manager, clock, failures, done, shown, state, pods, end },
    add(name: string, spec: object = {}, use: Partial<PodUse> = {}): void {
      pods.set(name, { pod: testPod(spec, { name, uid: name }), isEnding: false });
      uses.set(name, { ...nothing, ...use });
    },
    counted: () =>
      metrics
        .render(new Set(["orchlet_evictions"]))
        .split("\n")
        .filter((line) => line.startsWith("orchlet_")),
  };
}

// shows: evictionHard, evictionSoft, evictionSoftGracePeriod
test.each(evictionSignals)("a node comes under pressure for %s and recovers", async (signal) => {
  const { manager, clock, state, add, shown, done, failures, counted } = node([hard(signal)]);
  const { resource, pressure } = signalMeanings[signal];
  add("greedy");
  add("modest", { priority: 1 });
  expect(await manager.synchronize()).toEqual([]);
  expect(shown).toEqual([]);

  state.available.set(signal, 99);
  expect(await manager.synchronize()).toEqual(["greedy"]);
  expect(shown).toEqual([{ ...calm, [pressure]: true }]);
  expect(done.filter((one) => !one.startsWith("remove"))).toEqual([
    `node EvictionThresholdMet: Attempting to reclaim ${resource}`,
    `greedy Evicted: The node was low on resource: ${resource}. Threshold quantity: 100, available: 99. `,
  ]);
  expect(failures.get("greedy")).toMatchObject({ reason: "Evicted", graceSeconds: 0, disruption: true });
  expect(counted()).toEqual([`orchlet_evictions{eviction_signal="${signal}"} 1`]);

  state.available.set(signal, 500);
  clock.advance(10_000);
  expect(await manager.synchronize()).toEqual([]);
  expect(shown).toHaveLength(1);
  clock.advance(290_000);
  expect(await manager.synchronize()).toEqual([]);
  expect(shown).toEqual([{ ...calm, [pressure]: true }, calm]);
  expect([...failures.keys()]).toEqual(["greedy"]);
});

test.each<[EvictionSignal, hasImageDisk: boolean, helps: boolean]>([
  ["nodefs.available", false, true],
  ["imagefs.available", false, true],
  ["nodefs.inodesFree", true, false],
  ["imagefs.inodesFree", true, true],
  ["memory.available", false, false],
  ["pid.available", false, false],
])(
  "for %s, with a separate disk for images: %j, dead containers and images are removed first: %j",
  async (signal, hasImageDisk, helps) => {
    const { manager, state, add, done, failures } = node([hard(signal)]);
    add("pod");
    state.hasImageDisk = hasImageDisk;
    state.freed = 100;
    state.available.set(signal, 50);
    expect(await manager.synchronize()).toEqual(helps ? [] : ["pod"]);
    expect(done.filter((one) => one.startsWith("remove"))).toEqual(helps ? ["remove containers", "remove images"] : []);
    expect(failures.size).toBe(helps ? 0 : 1);
  },
);

test("a pod is evicted if removing dead containers and images does not reach the minimum reclaim", async () => {
  const { manager, state, add } = node([hard("nodefs.available", "200")]);
  add("pod");
  state.freed = 100;
  state.available.set("nodefs.available", 50);
  expect(await manager.synchronize()).toEqual(["pod"]);
});

test("a removal that fails does not prevent evictions", async () => {
  const fails = () => Promise.reject(new Error("no"));
  const { manager, state, add } = node([hard("nodefs.available")], { reclaim: { containers: fails, images: fails } });
  add("pod");
  state.available.set("nodefs.available", 50);
  expect(await manager.synchronize()).toEqual(["pod"]);
});

// shows: evictionMaxPodGracePeriod
test.each([
  [60, 30, 30],
  [10, 30, 10],
  [0, 30, 0],
  [-1, 30, undefined],
])("with at most %d s, a pod with %d s gets %s after a soft threshold", async (most, own, want) => {
  const soft: Threshold = { signal: "memory.available", minimum: "100", graceMs: 60_000, reclaim: undefined };
  const { manager, state, add, clock, shown, failures } = node([soft], { maxPodGraceSeconds: most });
  add("pod", { terminationGracePeriodSeconds: own });
  state.available.set("memory.available", 99);
  expect(await manager.synchronize()).toEqual([]);
  expect(shown).toEqual([{ ...calm, memory: true }]);
  clock.advance(60_000);
  expect(await manager.synchronize()).toEqual(["pod"]);
  expect(failures.get("pod")?.graceSeconds).toBe(want);
});

test("critical pods are never evicted; the next pod is evicted instead", async () => {
  const { manager, state, add, pods, done } = node([hard("memory.available")]);
  add("critical", { priority: 2_000_000_000 }, { memoryBytes: 900 });
  add("small");
  state.available.set("memory.available", 1);
  expect(await manager.synchronize()).toEqual(["small"]);
  expect(await manager.synchronize()).toEqual([]);
  expect([...pods.keys()]).toEqual(["critical"]);
  expect(done.filter((one) => one.startsWith("critical"))).toEqual([]);
});

test("while an evicted pod terminates, no other pod is evicted for the same threshold", async () => {
  const { manager, clock, state, add, pods, failures, end } = node([hard("memory.available")], { stuck: true });
  add("large", {}, { memoryBytes: 900 });
  add("small");
  state.available.set("memory.available", 1);
  const run = manager.run();
  await clock.advanceAsync(60_000);
  expect([...failures.keys()]).toEqual(["large"]);
  pods.delete("large");
  await clock.advanceAsync(40_000);
  expect([...failures.keys()]).toEqual(["large", "small"]);
  end.abort();
  await run;
});

test.each<[string, number | undefined, wanted: string[]]>([
  ["with years left ends at once", 1_000_000_000, ["slow"]],
  ["that ends at once anyway is waited for", 0, []],
])("a deleted pod %s when the node is under pressure", async (_, deletionGracePeriodSeconds, wanted) => {
  const { given, end } = slowEnd();
  const { manager, state, add, pods } = node([hard("memory.available")], { end });
  add("slow", {}, { memoryBytes: 900 });
  add("small");
  const slow = pods.get("slow");
  if (slow === undefined) throw new Error("not added");
  Object.assign(slow.pod.metadata, { deletionGracePeriodSeconds, deletionTimestamp: "2026-01-01T00:00:00Z" });
  slow.isEnding = true;
  state.available.set("memory.available", 1);
  for (let i = 0; i < 3; i++) expect(await manager.synchronize()).toEqual(["slow"]);
  expect([...given]).toEqual(wanted.map((name) => [name, 0]));
});

test("a deleted pod with a grace period of years terminates at once when it exceeds its limit on local storage", async () => {
  const { given, end } = slowEnd();
  const { manager, add, pods } = node([], { localStorage: true, end });
  const volumes = [{ name: "scratch", emptyDir: { sizeLimit: "1Mi" } }];
  add("full", { volumes }, { volumes: new Map([["scratch", { usedBytes: 2_000_000, inodesUsed: 1 }]]) });
  const full = pods.get("full");
  if (full === undefined) throw new Error("not added");
  Object.assign(full.pod.metadata, { deletionGracePeriodSeconds: 1_000_000_000 });
  full.isEnding = true;
  expect(await manager.synchronize()).toEqual(["full"]);
  expect([...given]).toEqual([["full", 0]]);
  // It is on its way: another eviction would change nothing.
  expect(await manager.synchronize()).toEqual([]);
});

test("after an eviction, the signals are read when the pod's resources are free, and otherwise every 10 s", async () => {
  const looks: number[] = [];
  const { manager, clock, state, add, end } = node([hard("memory.available")], {
    onReadings: ({ atMs }) => void looks.push(atMs),
  });
  add("pod");
  const run = manager.run();
  await clock.advanceAsync(9999);
  expect(looks).toEqual([0]);
  state.available.set("memory.available", 1);
  await clock.advanceAsync(1);
  state.available.set("memory.available", 500);
  await clock.advanceAsync(1000);
  expect(looks).toEqual([0, 10_000, 11_000]);
  end.abort();
  await run;
});

test("after an eviction for disk space, the pod's containers are removed, and the runtime has a second to free their space", async () => {
  const looks: number[] = [];
  const { manager, clock, state, done, add, end } = node([hard("imagefs.available")], {
    onReadings: ({ atMs }) => void looks.push(atMs),
  });
  state.hasImageDisk = true;
  add("pod");
  const run = manager.run();
  await clock.advanceAsync(9999);
  state.available.set("imagefs.available", 1);
  await clock.advanceAsync(1);
  expect(done.at(-1)).toMatch(/^pod Evicted/);
  await clock.advanceAsync(1000);
  expect([looks, done.at(-1)]).toEqual([[0, 10_000], "remove containers"]);
  state.available.set("imagefs.available", 500);
  await clock.advanceAsync(1000);
  expect(looks).toEqual([0, 10_000, 12_000]);
  end.abort();
  await run;
});

test("a notification causes the signals to be read, but at most once a second", async () => {
  const looks: number[] = [];
  const { manager, clock, end } = node([hard("memory.available")], { onReadings: ({ atMs }) => void looks.push(atMs) });
  const run = manager.run();
  await clock.advanceAsync(100);
  manager.wake();
  manager.wake();
  await clock.advanceAsync(899);
  expect(looks).toEqual([0]);
  await clock.advanceAsync(1);
  expect(looks).toEqual([0, 1000]);
  await clock.advanceAsync(9999);
  expect(looks).toEqual([0, 1000]);
  end.abort();
  await run;
});

// shows: localStorageCapacityIsolation
test("all pods that exceed their local storage limits are evicted, and no others; the node gets no condition", async () => {
  const { manager, add, failures, done, shown, counted } = node([], { localStorage: true });
  const volumes = [{ name: "scratch", emptyDir: { sizeLimit: "1Mi" } }];
  const scratch = (usedBytes: number) => ({ volumes: new Map([["scratch", { usedBytes, inodesUsed: 1 }]]) });
  add("full", { volumes }, scratch(2_000_000));
  add("also full", { volumes }, scratch(3_000_000));
  add("half full", { volumes }, scratch(500_000));
  add("critical", { volumes, priority: 2_000_000_000 }, scratch(3_000_000));
  expect((await manager.synchronize()).toSorted()).toEqual(["also full", "full"]);
  const message = 'Usage of EmptyDir volume "scratch" exceeds the limit "1Mi". ';
  expect(done).toEqual([`full Evicted: ${message}`, `also full Evicted: ${message}`]);
  expect(failures.get("full")).toEqual({ reason: "Evicted", message, graceSeconds: 0 });
  expect(shown).toEqual([]);
  expect(counted()).toEqual(['orchlet_evictions{eviction_signal="emptydirfs.limit"} 2']);
  expect(await manager.synchronize()).toEqual([]);
});

test("without limits of pods, their usage is not read; without thresholds and isolation, nothing is read", async () => {
  const fail = () => expect.fail("pods are read");
  const { manager, add } = node([], { localStorage: true, readPods: fail });
  add("pod");
  expect(await manager.synchronize()).toEqual([]);
  await node([], { localStorage: false, readNode: fail }).manager.run();
});

test("reading the signals is retried after an error", async () => {
  let looks = 0;
  const { manager, clock, end } = node([hard("memory.available")], {
    async readNode() {
      looks += 1;
      throw new Error("no");
    },
  });
  const run = manager.run();
  await clock.advanceAsync(30_000);
  expect(looks).toBe(4);
  end.abort();
  await run;
});

test("pods are ranked by fresh measurements of their volumes when the disk is full", async () => {
  const asked: boolean[] = [];
  const filled = { ...nothing, volumes: new Map([["scratch", { usedBytes: 900, inodesUsed: 1 }]]) };
  const { manager, state, add } = node([hard("nodefs.available")], {
    readPods: async (_, fresh = false) => {
      asked.push(fresh);
      return new Map([
        ["modest", { ...nothing, volumes: new Map([["scratch", { usedBytes: 1, inodesUsed: 1 }]]) }],
        ["greedy", fresh ? filled : nothing],
      ]);
    },
  });
  const spec = { volumes: [{ name: "scratch", emptyDir: {} }] };
  add("modest", spec);
  add("greedy", spec);
  state.available.set("nodefs.available", 99);
  expect(await manager.synchronize()).toEqual(["greedy"]);
  expect(asked).toEqual([true]);
});
