import { expect, test } from "vitest";
import { testPod } from "../testing/pods.ts";
import { evictionOf, pickVictim } from "./evict.ts";

const mebi = 1024 * 1024;
const asks = (name: string, memory?: string) => ({
  name,
  image: "i",
  ...(memory === undefined ? {} : { resources: { requests: { memory } } }),
});
const pod = testPod({ containers: [asks("a", "100Mi"), asks("b")] });
const usedBytes = new Map([
  ["a", 50 * mebi],
  ["b", 20 * mebi],
]);

test.each([
  [
    { signal: "memory.available", available: 50 * mebi, capacity: 1024 * mebi },
    "100Mi",
    "The node was low on resource: memory. Threshold quantity: 100Mi, available: 50Mi. Container b was using 20Mi, request is 0, has larger consumption of memory. ",
  ],
  [
    { signal: "nodefs.available", available: 512, capacity: 10 * mebi },
    "10%",
    "The node was low on resource: ephemeral-storage. Threshold quantity: 1Mi, available: 512. ",
  ],
  [
    { signal: "nodefs.inodesFree", available: 4000, capacity: 100_000 },
    "5%",
    "The node was low on resource: inodes. Threshold quantity: 5k, available: 4k. ",
  ],
])(
  "the message of an eviction by $signal names the resource and the containers that exceed their requests",
  (reading, threshold, message) => {
    expect(evictionOf({ pod, usedBytes }, reading, threshold, { disruption: true })).toEqual({
      reason: "Evicted",
      message,
      graceSeconds: 0,
      disruption: true,
    });
  },
);

test("the pod that exceeds its request most is evicted first, and critical pods never", () => {
  const named = (uid: string, spec: object = {}) => testPod(spec, { uid });
  const modest = { pod: named("modest", { containers: [asks("c", "1Gi")] }), memoryBytes: 500 * mebi };
  const greedy = { pod: named("greedy"), memoryBytes: 100 * mebi };
  const greedier = { pod: named("greedier"), memoryBytes: 200 * mebi };
  const critical = { pod: named("critical", { priority: 2_000_000_000 }), memoryBytes: 900 * mebi };
  expect(pickVictim([modest, greedy, greedier, critical])?.metadata.uid).toBe("greedier");
  expect(pickVictim([critical])).toBeUndefined();
});

test("the request of a pod includes its largest init container and its overhead", () => {
  const initiated = testPod(
    { containers: [asks("c", "1Mi")], initContainers: [asks("i", "1Gi")] },
    { uid: "initiated" },
  );
  const sandboxed = testPod({ containers: [asks("c", "1Mi")], overhead: { memory: "1Gi" } }, { uid: "sandboxed" });
  const greedy = { pod: testPod({ containers: [asks("c", "1Mi")] }, { uid: "greedy" }), memoryBytes: 2 * mebi };
  for (const modest of [initiated, sandboxed])
    expect(pickVictim([{ pod: modest, memoryBytes: 500 * mebi }, greedy])?.metadata.uid).toBe("greedy");
  const idle = testPod({ overhead: { memory: "1Gi" } }, { uid: "idle" });
  expect(pickVictim([{ pod: idle, memoryBytes: 500 * mebi }, greedy])?.metadata.uid).toBe("idle");
});
