import { describe, expect, test } from "vitest";
import { type PodSketch, pod, replicaSet } from "../../testing/builders.ts";
import { nextAvailabilityMs, reconcile, statusOf } from "./reconcile.ts";

const now = new Date("2024-01-01T00:10:00Z");
const many = (count: number, sketch: PodSketch = {}) => Array.from({ length: count }, (_, i) => pod(`p${i}`, sketch));

describe("pods to make and to give up", () => {
  test.each([
    ["as many as wanted", 3, 3, true, "none"],
    ["too few", 3, 1, true, "create 2"],
    ["far too few", 2000, 0, true, "create 500"],
    ["too many", 1, 3, true, "delete 2"],
    ["none wanted", 0, 3, true, "delete 3"],
    ["caches behind", 3, 1, false, "none"],
  ])("%s", (_, replicas, have, settled, want) => {
    const { actions } = reconcile(
      { set: replicaSet("rs", { replicas }), pods: many(have), settled, siblingsOn: () => 0 },
      now,
    );
    const [action] = actions;
    const got =
      action === undefined
        ? "none"
        : action.type === "CreatePods"
          ? `create ${action.count}`
          : `delete ${action.pods.length}`;
    expect(got).toBe(want);
  });

  test("a set that is being deleted is left to the garbage collector", () => {
    const set = replicaSet("rs", { replicas: 3, deleting: true });
    expect(reconcile({ set, pods: [], settled: true, siblingsOn: () => 0 }, now).actions).toEqual([]);
  });

  test("pods that are not ready go first", () => {
    const [action] = reconcile(
      {
        set: replicaSet("rs", { replicas: 1 }),
        pods: [pod("ready", { ready: true, node: "n" }), pod("unready", { node: "n" })],
        settled: true,
        siblingsOn: () => 0,
      },
      now,
    ).actions;
    expect(action).toMatchObject({ type: "DeletePods", pods: [{ metadata: { name: "unready" } }] });
  });
});

describe("status", () => {
  test("counts pods", () => {
    const set = replicaSet("rs", { replicas: 4, minReadySeconds: 60, generation: 7 });
    const pods = [
      pod("a", { ready: true, readySince: "2024-01-01T00:00:00Z" }),
      pod("b", { ready: true, readySince: "2024-01-01T00:09:30Z" }),
      pod("c"),
      pod("d", { labels: {} }),
    ];
    const status = statusOf(set, pods, undefined, now);
    expect(status).toEqual({
      replicas: 4,
      fullyLabeledReplicas: 3,
      readyReplicas: 2,
      availableReplicas: 1,
      observedGeneration: 7,
    });
    expect(statusOf({ ...set, status }, pods, undefined, now)).toBe(status);
  });

  test("failures are reported until the next success", () => {
    const set = replicaSet("rs", { replicas: 1 });
    const failed = statusOf(set, [], new Error("quota"), now);
    const condition = {
      type: "ReplicaFailure",
      status: "True",
      reason: "FailedCreate",
      message: "quota",
      lastTransitionTime: "2024-01-01T00:10:00Z",
    };
    expect(failed.conditions).toEqual([condition]);
    const again = statusOf({ ...set, status: failed }, [], new Error("other"), new Date());
    expect(again.conditions).toEqual([condition]);
    expect(statusOf({ ...set, status: failed }, [], undefined, now).conditions).toBeUndefined();
  });
});

test.each([
  [60, { replicas: 2, readyReplicas: 2, availableReplicas: 1 }, 60_000],
  [60, { replicas: 2, readyReplicas: 2, availableReplicas: 2 }, undefined],
  [60, { replicas: 2, readyReplicas: 1 }, undefined],
  [0, { replicas: 2, readyReplicas: 2 }, undefined],
])("minReadySeconds %i, %j: the next sync is after %s", (minReadySeconds, status, want) => {
  expect(nextAvailabilityMs(replicaSet("rs", { replicas: 2, minReadySeconds }), status)).toBe(want);
});
