import { expect, test } from "vitest";
import { testPod } from "../testing/pods.ts";
import { evictionText } from "./eviction-message.ts";
import { type EvictionSignal, signalMeanings } from "./signals.ts";

const mebi = 1024 * 1024;
const pod = testPod({
  containers: [
    { name: "a", image: "i", resources: { requests: { memory: "100Mi", "ephemeral-storage": "1.5Gi" } } },
    { name: "b", image: "i" },
  ],
});
const disk = (usedBytes: number) => ({ usedBytes, inodesUsed: 1 });
const use = {
  memoryBytes: 70 * mebi,
  processes: 3,
  containers: [
    { name: "a", memoryBytes: 50 * mebi, rootfs: disk(2000 * mebi), logs: disk(48 * mebi) },
    { name: "b", memoryBytes: 20 * mebi, rootfs: disk(0), logs: disk(0) },
  ],
  volumes: new Map(),
  ephemeral: disk(2048 * mebi),
};

test.each<[EvictionSignal, minimum: string, available: number, capacity: number, message: string]>([
  [
    "memory.available",
    "1.5Gi",
    50 * mebi,
    1024 * mebi,
    "The node was low on resource: memory. Threshold quantity: 1536Mi, available: 50Mi. Container b was using 20Mi, request is 0, has larger consumption of memory. ",
  ],
  [
    "nodefs.available",
    "10%",
    512,
    10 * mebi,
    "The node was low on resource: ephemeral-storage. Threshold quantity: 1Mi, available: 512. Container a was using 2Gi, request is 1536Mi, has larger consumption of ephemeral-storage. ",
  ],
  [
    "imagefs.inodesFree",
    "5%",
    4000,
    100_000,
    "The node was low on resource: inodes. Threshold quantity: 5000, available: 4k. ",
  ],
  ["pid.available", "1k", 2048, 4096, "The node was low on resource: pids. Threshold quantity: 1k, available: 2048. "],
])("an eviction for %s names the resource and the containers that exceed their requests", (...given) => {
  const [signal, minimum, available, capacity, message] = given;
  const threshold = { signal, minimum, graceMs: 0, reclaim: undefined };
  const readings = new Map([[signal, { available, capacity }]]);
  expect(evictionText(pod, use, signalMeanings[signal].resource, [threshold], readings).message).toBe(message);
});

test("programs find the containers in the annotations of the event", () => {
  expect(evictionText(pod, use, "memory", [], new Map())).toEqual({
    message:
      "The node was low on resource: memory. Container b was using 20Mi, request is 0, has larger consumption of memory. ",
    annotations: {
      offending_containers: "b",
      offending_containers_usage: "20Mi",
      starved_resource: "memory",
    },
  });
  expect(evictionText(pod, undefined, "memory", [], new Map())).toEqual({
    message: "The node was low on resource: memory. ",
    annotations: {},
  });
});
