import { expect, test } from "vitest";
import type { PodUse } from "../stats/summary/pod-use.ts";
import { testPod } from "../testing/pods.ts";
import { exceededLimit, limitsLocalStorage } from "./local-storage-limits.ts";

const mebi = 1024 * 1024;
const oneDisk = { hasImageDisk: false };
const disk = (megabytes: number) => ({ usedBytes: megabytes * mebi, inodesUsed: 1 });
const limited = (name: string, limit?: string) => ({
  name,
  image: "i",
  ...(limit && { resources: { limits: { "ephemeral-storage": limit } } }),
});

function use(given: {
  readonly a?: readonly [rootfs: number, logs: number];
  readonly scratch?: number;
  readonly total?: number;
}): PodUse {
  const { a: [rootfs, logs] = [0, 0], scratch = 0, total = 0 } = given;
  return {
    memoryBytes: 0,
    processes: 1,
    containers: [{ name: "a", memoryBytes: 0, rootfs: disk(rootfs), logs: disk(logs) }],
    volumes: new Map([["scratch", disk(scratch)]]),
    ephemeral: disk(total),
  };
}

test("an emptyDir volume has a size limit", () => {
  const pod = testPod({ volumes: [{ name: "scratch", emptyDir: { sizeLimit: "1.5Mi" } }] });
  expect(exceededLimit(pod, use({ scratch: 1.5 }), oneDisk)).toBeUndefined();
  expect(exceededLimit(pod, use({ scratch: 1.6 }), oneDisk)).toEqual({
    signal: "emptydirfs.limit",
    message: 'Usage of EmptyDir volume "scratch" exceeds the limit "1536Ki". ',
  });
  const zero = testPod({ volumes: [{ name: "scratch", emptyDir: { sizeLimit: "0" } }] });
  expect(exceededLimit(zero, use({ scratch: 9 }), oneDisk)).toBeUndefined();
});

test("the sum of the container limits is the limit of the pod, including its volumes and logs", () => {
  const pod = testPod({ containers: [limited("a", "10Mi"), limited("b", "5Mi"), limited("c")] });
  expect(exceededLimit(pod, use({ total: 15 }), oneDisk)).toBeUndefined();
  expect(exceededLimit(pod, use({ total: 16 }), oneDisk)).toEqual({
    signal: "ephemeralpodfs.limit",
    message: "Pod ephemeral local storage usage exceeds the total limit of containers 15Mi. ",
  });
});

test("the limit of a container applies to its writable layer and its logs", () => {
  const pod = testPod({ containers: [limited("a", "10Mi"), limited("b", "50Mi")] });
  expect(exceededLimit(pod, use({ a: [9, 1], total: 10 }), oneDisk)).toBeUndefined();
  expect(exceededLimit(pod, use({ a: [9, 2], total: 11 }), oneDisk)).toEqual({
    signal: "ephemeralcontainerfs.limit",
    message: 'Container a exceeded its local ephemeral storage limit "10Mi". ',
  });
});

test("only the logs count if writable layers are on another disk", () => {
  const pod = testPod({ containers: [limited("a", "10Mi"), limited("b", "50Mi")] });
  expect(exceededLimit(pod, use({ a: [30, 10] }), { hasImageDisk: true })).toBeUndefined();
  expect(exceededLimit(pod, use({ a: [30, 11] }), { hasImageDisk: true })).toMatchObject({
    signal: "ephemeralcontainerfs.limit",
  });
});

test.each([
  [testPod({}), false],
  [testPod({ volumes: [{ name: "v", emptyDir: {} }] }), false],
  [testPod({ volumes: [{ name: "v", emptyDir: { sizeLimit: "1Mi" } }] }), true],
  [testPod({ containers: [limited("a", "1Mi")] }), true],
])("the usage of a pod is measured only if it has limits (%#)", (pod, want) => {
  expect(limitsLocalStorage(pod)).toBe(want);
});
