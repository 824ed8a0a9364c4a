import type { core, policy } from "@orchernetes/api";
import { formatTime, type Stored } from "@orchernetes/apimachinery";
import { isPodReady, withCondition } from "@orchernetes/component-helpers";
import { type Plan, sooner } from "@orchernetes/controller";
import { semanticEqual } from "../../shared/semantic-equal.ts";
import { resolveIntOrPercent } from "../deployment/limits.ts";

/** A PodDisruptionBudget as the API server returns it. */
export type PodDisruptionBudget = Stored<policy.PodDisruptionBudget>;
type Pod = Stored<core.Pod>;
type Status = policy.PodDisruptionBudgetStatus;

/** Time after an eviction in which the deletion must be observed; after it, the pod counts as healthy again. */
const deletionTimeoutMs = 2 * 60_000;

/** The total number of pods that the controllers of the budget's pods should have, or why it is unknown. */
export type ExpectedScale =
  | {
      readonly type: "known";
      readonly count: number;
      readonly unmanaged: readonly string[];
      /** Milliseconds after which the result may have changed without an event. */
      readonly recheckMs?: number;
    }
  | { readonly type: "failed"; readonly message: string };

/** Everything that determines the status of a budget. */
export interface DisruptionState {
  readonly budget: PodDisruptionBudget;
  /** The pods that the budget selects. */
  readonly pods: readonly Pod[];
  /** Undefined if the budget is a number of available pods, which needs no total. */
  readonly scale: ExpectedScale | undefined;
}

/** A write of the controller, in the order of the plan. */
export type DisruptionAction =
  | { readonly type: "UpdateStatus"; readonly budget: PodDisruptionBudget }
  | {
      readonly type: "Event";
      readonly of: "Normal" | "Warning";
      /** The pod that the event is about. @default the budget */
      readonly pod?: Pod;
      readonly reason: string;
      readonly message: string;
    };

/** Whether the budget depends on the desired number of pods: maxUnavailable and percentages do. */
export function needsScale({ minAvailable, maxUnavailable }: policy.PodDisruptionBudgetSpec): boolean {
  return maxUnavailable !== undefined || typeof minAvailable === "string";
}

/** Computes the status of the budget. If the expected number of pods is unknown, no disruption is allowed. Pure. */
export function reconcile({ budget, pods, scale }: DisruptionState, now: Date): Plan<DisruptionAction> {
  const actions: DisruptionAction[] = [];
  const event = (of: "Normal" | "Warning", reason: string, message: string): void => {
    actions.push({ type: "Event", of, reason, message });
  };
  if (pods.length === 0) event("Normal", "NoPods", "No matching pods found");
  if (scale?.type === "failed") {
    event(
      "Warning",
      "CalculateExpectedPodCountFailed",
      `Failed to calculate the number of expected pods: ${scale.message}`,
    );
    return { actions: [...actions, ...update(budget, failSafe(budget, scale.message, now))] };
  }
  if (scale !== undefined && scale.unmanaged.length > 0) {
    event(
      "Warning",
      "UnmanagedPods",
      `Pods selected by this PodDisruptionBudget (selector: ${JSON.stringify(budget.spec.selector)}) were found to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.`,
    );
  }
  const { disrupted, overdue, recheckMs } = stillDisrupted(budget, pods, now);
  for (const pod of overdue) {
    const { name, namespace } = budget.metadata;
    const message = `Pod was expected by PDB ${namespace}/${name} to be deleted but it wasn't`;
    actions.push({ type: "Event", of: "Warning", pod, reason: "NotDeleted", message });
  }
  const expectedPods = scale?.count ?? pods.length;
  const desiredHealthy = desired(budget.spec, expectedPods);
  const currentHealthy = pods.filter(
    (pod) =>
      pod.metadata.deletionTimestamp === undefined && !Object.hasOwn(disrupted, pod.metadata.name) && isPodReady(pod),
  ).length;
  const disruptionsAllowed = expectedPods <= 0 ? 0 : Math.max(0, currentHealthy - desiredHealthy);
  const status: Status = {
    observedGeneration: budget.metadata.generation,
    ...(Object.keys(disrupted).length === 0 ? {} : { disruptedPods: disrupted }),
    disruptionsAllowed,
    currentHealthy,
    desiredHealthy,
    expectedPods,
    conditions: disruptionAllowed(
      budget,
      disruptionsAllowed > 0,
      disruptionsAllowed > 0 ? "SufficientPods" : "InsufficientPods",
      "",
      now,
    ),
  };
  actions.push(...update(budget, status));
  const requeueAfterMs = sooner(recheckMs, scale?.recheckMs);
  return requeueAfterMs === undefined ? { actions } : { actions, requeueAfterMs };
}

/** The number of healthy pods that the budget requires. Percentages are rounded up, as the API documents. */
function desired({ minAvailable, maxUnavailable }: policy.PodDisruptionBudgetSpec, expected: number): number {
  if (maxUnavailable !== undefined) {
    return Math.max(0, expected - resolveIntOrPercent(maxUnavailable, expected, Math.ceil));
  }
  return resolveIntOrPercent(minAvailable, expected, Math.ceil);
}

interface Disrupted {
  readonly disrupted: Readonly<Record<string, string>>;
  readonly overdue: readonly Pod[];
  readonly recheckMs: number | undefined;
}

/** Evicted pods whose deletion has not been observed yet. Pods that exceed the time limit are overdue. */
function stillDisrupted({ status }: PodDisruptionBudget, pods: readonly Pod[], now: Date): Disrupted {
  const recorded = status?.disruptedPods ?? {};
  const disrupted: Record<string, string> = {};
  const overdue: Pod[] = [];
  let recheckMs: number | undefined;
  for (const pod of pods) {
    const { name, deletionTimestamp } = pod.metadata;
    const since = Object.hasOwn(recorded, name) ? recorded[name] : undefined;
    if (since === undefined || deletionTimestamp !== undefined) continue;
    const leftMs = Date.parse(since) + deletionTimeoutMs - now.getTime();
    if (leftMs < 0) {
      overdue.push(pod);
      continue;
    }
    recheckMs = Math.min(recheckMs ?? Number.POSITIVE_INFINITY, leftMs + 1);
    disrupted[name] = since;
  }
  return { disrupted, overdue, recheckMs };
}

/** The status when the number of expected pods is unknown: it allows no disruption, and keeps the other counts. */
function failSafe(budget: PodDisruptionBudget, message: string, now: Date): Status {
  return {
    ...budget.status,
    disruptionsAllowed: 0,
    conditions: disruptionAllowed(budget, false, "SyncFailed", message, now),
  };
}

function disruptionAllowed(
  { metadata, status }: PodDisruptionBudget,
  allowed: boolean,
  reason: string,
  message: string,
  now: Date,
): NonNullable<Status["conditions"]> {
  return withCondition(status?.conditions, {
    type: "DisruptionAllowed",
    status: allowed ? "True" : "False",
    observedGeneration: metadata.generation,
    lastTransitionTime: formatTime(now),
    reason,
    message,
  });
}

function update(budget: PodDisruptionBudget, status: Status): readonly DisruptionAction[] {
  return semanticEqual(status, budget.status) ? [] : [{ type: "UpdateStatus", budget: { ...budget, status } }];
}
