import { expect, test } from "vitest";
import type { PodUse } from "../stats/summary/pod-use.ts";
import { testPod } from "../testing/pods.ts";
import { type Candidate, rankPods } from "./rank-pods.ts";
import type { EvictionSignal } from "./signals.ts";

const mebi = 1024 * 1024;

interface Given {
  readonly memory?: string;
  readonly storage?: string;
  readonly priority?: number;
  readonly use?: Partial<PodUse>;
}

function candidate(name: string, given: Given): Candidate {
  const { memory, storage, priority = 0, use } = given;
  const requests = { ...(memory && { memory }), ...(storage && { "ephemeral-storage": storage }) };
  const volumes = [
    { name: "scratch", emptyDir: {} },
    { name: "memory", emptyDir: { medium: "Memory" } },
  ];
  const none: PodUse = {
    memoryBytes: 0,
    processes: 0,
    containers: [],
    volumes: new Map(),
    ephemeral: { usedBytes: 0, inodesUsed: 0 },
  };
  const pod = testPod(
    { priority, volumes, containers: [{ name: "c", image: "i", resources: { requests } }] },
    { name },
  );
  return { pod, use: use && { ...none, ...use } };
}

const disk = (usedBytes: number, inodesUsed = 0) => ({ usedBytes, inodesUsed });
const container = (rootfs: number, logs: number, inodes = 0) => ({
  containers: [{ name: "c", memoryBytes: 0, rootfs: disk(rootfs, inodes), logs: disk(logs) }],
});
const scratch = (bytes: number, inodes = 0) => ({ volumes: new Map([["scratch", disk(bytes, inodes)]]) });

function rank(pods: Readonly<Record<string, Given>>, signal: EvictionSignal, hasImageDisk = false): readonly string[] {
  const candidates = Object.entries(pods).map(([name, given]) => candidate(name, given));
  return rankPods(candidates, signal, { hasImageDisk }).map(({ pod }) => pod.metadata.name ?? "");
}

test.each(["memory.available", "allocatableMemory.available"] as const)(
  "for %s, pods that exceed their requests come first, then lower priorities, then the largest excess",
  (signal) => {
    const pods = {
      modest: { memory: "1Gi", use: { memoryBytes: 900 * mebi } },
      "modest and low": { memory: "1Gi", priority: -1, use: { memoryBytes: 1 } },
      greedy: { use: { memoryBytes: 100 * mebi } },
      greedier: { memory: "100Mi", use: { memoryBytes: 300 * mebi } },
      "greedy and low": { priority: -5, use: { memoryBytes: mebi } },
      unknown: { priority: 1000 },
    };
    const want = ["unknown", "greedy and low", "greedier", "greedy", "modest and low", "modest"];
    expect(rank(pods, signal)).toEqual(want);
  },
);

test("for process IDs, the priority comes before the number of processes, and requests do not matter", () => {
  const pods = {
    many: { use: { processes: 500 } },
    more: { use: { processes: 900 } },
    low: { priority: -1, use: { processes: 1 } },
  };
  expect(rank(pods, "pid.available")).toEqual(["low", "more", "many"]);
});

test("on one disk, writable layers, logs and volumes count together, except volumes in memory", () => {
  const pods = {
    requested: { storage: "1Gi", use: container(500 * mebi, 0) },
    layer: { use: container(3 * mebi, 0) },
    all: { use: { ...container(2 * mebi, mebi), ...scratch(mebi) } },
    memory: { use: { volumes: new Map([["memory", disk(900 * mebi)]]) } },
  };
  for (const signal of ["nodefs.available", "imagefs.available"] as const)
    expect(rank(pods, signal)).toEqual(["all", "layer", "memory", "requested"]);
});

test("with a separate disk for images, usage is counted for each disk", () => {
  const pods = { layer: { use: container(9 * mebi, 0) }, logs: { use: { ...container(0, mebi), ...scratch(mebi) } } };
  expect(rank(pods, "nodefs.available", true)).toEqual(["logs", "layer"]);
  expect(rank(pods, "imagefs.available", true)).toEqual(["layer", "logs"]);
});

test("inodes cannot be requested; as in the original, their number is compared above the request for space", () => {
  const pods = {
    few: { use: scratch(mebi, 10) },
    many: { storage: "1Gi", use: scratch(mebi, 5000) },
    low: { priority: -1, use: container(0, 0, 1) },
  };
  expect(rank(pods, "nodefs.inodesFree")).toEqual(["low", "few", "many"]);
  expect(rank(pods, "imagefs.inodesFree")).toEqual(["low", "few", "many"]);
});

test("the request of a pod includes its largest init container, and its overhead if it requests the resource", () => {
  const asks = (name: string, memory?: string) => ({
    name,
    image: "i",
    ...(memory === undefined ? {} : { resources: { requests: { memory } } }),
  });
  const used = (memoryBytes: number) => candidate("x", { use: { memoryBytes } }).use;
  const initiated = testPod({ containers: [asks("c", "1Mi")], initContainers: [asks("i", "1Gi")] });
  const sandboxed = testPod({ containers: [asks("c", "1Mi")], overhead: { memory: "1Gi" } });
  const greedy = { pod: testPod({ containers: [asks("c", "1Mi")] }, { name: "greedy" }), use: used(2 * mebi) };
  const first = (pod: Candidate["pod"]) =>
    rankPods([{ pod, use: used(500 * mebi) }, greedy], "memory.available", { hasImageDisk: false })[0]?.pod.metadata
      .name;
  expect(first(initiated)).toBe("greedy");
  expect(first(sandboxed)).toBe("greedy");
  expect(first(testPod({ overhead: { memory: "1Gi" } }))).toBe("web");
});
