import type { core } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";
import { isPodActive, isPodAvailable, isPodReady } from "@orchernetes/component-helpers";
import { describe, expect, test } from "vitest";
import { inDeletionOrder, podDeletionCostAnnotation } from "./pod-ranking.ts";
import { podFromTemplate } from "./pod-template.ts";

const now = Date.parse("2024-01-01T10:00:00Z");
interface Sketch {
  readonly node?: string;
  readonly phase?: "Pending" | "Running" | "Failed" | "Succeeded" | "Unknown";
  /** Seconds since it became ready. */
  readonly readyFor?: number;
  readonly cost?: string;
  readonly restarts?: number;
  /** Seconds since its creation. */
  readonly age?: number;
  readonly leaving?: boolean;
}
const ago = (seconds: number): string => new Date(now - seconds * 1000).toISOString();
const pod = (name: string, sketch: Sketch = {}): Stored<core.Pod> => ({
  metadata: {
    name,
    uid: name,
    resourceVersion: "1",
    creationTimestamp: ago(sketch.age ?? 3600),
    ...(sketch.cost === undefined ? {} : { annotations: { [podDeletionCostAnnotation]: sketch.cost } }),
    ...(sketch.leaving ? { deletionTimestamp: ago(0) } : {}),
  },
  spec: { containers: [], nodeName: sketch.node ?? "n1" },
  status: {
    phase: sketch.phase ?? "Running",
    ...(sketch.readyFor === undefined
      ? {}
      : { conditions: [{ type: "Ready", status: "True", lastTransitionTime: ago(sketch.readyFor) }] }),
    containerStatuses: [
      { name: "c", ready: true, restartCount: sketch.restarts ?? 0, image: "", imageID: "", state: {}, lastState: {} },
    ],
  },
});

describe("the order of deletion", () => {
  const ready = { readyFor: 600 };
  test.each<[string, Sketch, Sketch]>([
    ["unassigned before assigned", { node: "" }, {}],
    ["pending before running", { phase: "Pending" }, {}],
    ["unknown before running", { phase: "Unknown" }, { phase: "Running" }],
    ["unready before ready", {}, ready],
    ["cheaper before dearer", { ...ready, cost: "-5" }, ready],
    ["cost of no number is 0", { ...ready, cost: "1e9" }, { ...ready, cost: "1" }],
    ["crowded nodes first", { ...ready, node: "crowded" }, ready],
    ["latest ready first", { readyFor: 10 }, ready],
    ["more restarts first", { ...ready, restarts: 3 }, { ...ready, restarts: 1 }],
    ["youngest first", { ...ready, age: 900 }, { ...ready, age: 9000 }],
  ])("%s", (_, first, second) => {
    const order = inDeletionOrder([pod("b", second), pod("a", first)], (node) => (node === "crowded" ? 2 : 1), now);
    expect(order.map(({ metadata }) => metadata.name)).toEqual(["a", "b"]);
    const swapped = inDeletionOrder([pod("a", second), pod("b", first)], (node) => (node === "crowded" ? 2 : 1), now);
    expect(swapped.map(({ metadata }) => metadata.name)).toEqual(["b", "a"]);
  });
});

test.each<[string, Sketch, { active: boolean; ready: boolean; available: boolean }]>([
  ["running", {}, { active: true, ready: false, available: false }],
  ["ready a moment", { readyFor: 5 }, { active: true, ready: true, available: false }],
  ["ready long enough", { readyFor: 10 }, { active: true, ready: true, available: true }],
  ["failed", { phase: "Failed" }, { active: false, ready: false, available: false }],
  ["leaving", { leaving: true }, { active: false, ready: false, available: false }],
])("a pod that is %s", (_, sketch, want) => {
  const it = pod("x", sketch);
  expect({ active: isPodActive(it), ready: isPodReady(it), available: isPodAvailable(it, 10, now) }).toEqual(want);
});

test("a pod is created from a template", () => {
  const ownerRef = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", uid: "u", controller: true };
  const template = { metadata: { labels: { app: "x" }, annotations: { a: "b" } }, spec: { containers: [] } };
  expect(podFromTemplate(template, { metadata: { name: "web", namespace: "ns" } }, ownerRef)).toEqual({
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      generateName: "web-",
      namespace: "ns",
      labels: { app: "x" },
      annotations: { a: "b" },
      ownerReferences: [ownerRef],
    },
    spec: { containers: [] },
  });
});
