import type { policy } from "@orchernetes/api";
import { describe, expect, test } from "vitest";
import { meta, pod } from "../../testing/builders.ts";
import { type ExpectedScale, type PodDisruptionBudget, reconcile } from "./reconcile.ts";

const now = new Date("2024-01-01T00:10:00Z");
const ready = (name: string) => pod(name, { ready: true });

function budget(
  spec: Partial<policy.PodDisruptionBudgetSpec>,
  status: Partial<policy.PodDisruptionBudgetStatus> = {},
): PodDisruptionBudget {
  return {
    metadata: { ...meta("b"), generation: 3 },
    spec: { selector: { matchLabels: { app: "x" } }, ...spec },
    status: { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0, ...status },
  };
}

function statusOf(plan: ReturnType<typeof reconcile>): policy.PodDisruptionBudgetStatus | undefined {
  for (const action of plan.actions) if (action.type === "UpdateStatus") return action.budget.status;
  return undefined;
}

const known = (count: number): ExpectedScale => ({ type: "known", count, unmanaged: [] });

describe("how many may go", () => {
  const three = [ready("a"), ready("b"), pod("c")];
  test.each([
    ["a number available", budget({ minAvailable: 1 }), undefined, 3, 1, 2, 1],
    ["more than there are", budget({ minAvailable: 5 }), undefined, 3, 5, 2, 0],
    ["a share available", budget({ minAvailable: "50%" }), known(3), 3, 2, 2, 0],
    ["a number unavailable", budget({ maxUnavailable: 1 }), known(3), 3, 2, 2, 0],
    ["a share unavailable, rounded up", budget({ maxUnavailable: "34%" }), known(3), 3, 1, 2, 1],
    ["more pods wanted than there are", budget({ maxUnavailable: 4 }), known(5), 5, 1, 2, 1],
  ])("%s", (_, of, scale, expectedPods, desiredHealthy, currentHealthy, disruptionsAllowed) => {
    const status = statusOf(reconcile({ budget: of, pods: three, scale }, now));
    expect(status).toMatchObject({ expectedPods, desiredHealthy, currentHealthy, disruptionsAllowed });
    expect(status?.observedGeneration).toBe(3);
    const reason = disruptionsAllowed > 0 ? "SufficientPods" : "InsufficientPods";
    expect(status?.conditions).toMatchObject([{ type: "DisruptionAllowed", reason, observedGeneration: 3 }]);
  });
});

test("evicted pods do not count until their deletion is overdue", () => {
  const disruptedPods = { a: "2024-01-01T00:09:00Z", b: "2024-01-01T00:07:00Z", gone: "2024-01-01T00:09:59Z" };
  const plan = reconcile(
    { budget: budget({ minAvailable: 1 }, { disruptedPods }), pods: [ready("a"), ready("b")], scale: undefined },
    now,
  );
  expect(statusOf(plan)).toMatchObject({ disruptedPods: { a: disruptedPods.a }, currentHealthy: 1 });
  expect(Object.keys(statusOf(plan)?.disruptedPods ?? {})).toEqual(["a"]);
  expect(plan.actions).toContainEqual(expect.objectContaining({ reason: "NotDeleted" }));
  expect(plan.requeueAfterMs).toBe(60_001);
});

test("an unknown number of pods allows no disruption", () => {
  const scale: ExpectedScale = { type: "failed", message: "no scale" };
  const of = budget({ maxUnavailable: 1 }, { disruptionsAllowed: 2, currentHealthy: 3 });
  const status = statusOf(reconcile({ budget: of, pods: [ready("a")], scale }, now));
  expect(status).toMatchObject({ disruptionsAllowed: 0, currentHealthy: 3 });
  expect(status?.conditions).toMatchObject([{ status: "False", reason: "SyncFailed", message: "no scale" }]);
});

test("a correct status is not written again", () => {
  const state = { pods: [ready("a")], scale: undefined };
  const first = budget({ minAvailable: 1 });
  const status = statusOf(reconcile({ budget: first, ...state }, now));
  expect(status).toBeDefined();
  const again = reconcile({ budget: { ...first, ...(status && { status }) }, ...state }, new Date());
  expect(again.actions).toEqual([]);
});
