import type { core } from "@orchernetes/api";
import { formatTime } from "@orchernetes/apimachinery";
import { type Node, readyCondition } from "./node-health.ts";

type Taint = core.Taint;

const notReadyTaint = "node.orchernetes.io/not-ready";
const unreachableTaint = "node.orchernetes.io/unreachable";
const unschedulableTaint = "node.orchernetes.io/unschedulable";

/** Taints by condition type and status. */
const byCondition: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Ready: { False: notReadyTaint, Unknown: unreachableTaint },
  MemoryPressure: { True: "node.orchernetes.io/memory-pressure" },
  DiskPressure: { True: "node.orchernetes.io/disk-pressure" },
  PIDPressure: { True: "node.orchernetes.io/pid-pressure" },
  NetworkUnavailable: { True: "node.orchernetes.io/network-unavailable" },
};

/** All NoSchedule taints that the controller adds and removes; others are left alone. */
const managed: ReadonlySet<string> = new Set([
  unschedulableTaint,
  ...Object.values(byCondition).flatMap((keys) => Object.values(keys)),
]);

const same = (a: Taint, b: Taint): boolean => a.key === b.key && a.effect === b.effect;

/** The node's taints with those of effect NoSchedule as its conditions ask; undefined when they are so already. */
export function withNoScheduleTaints(node: Node, now: Date): readonly Taint[] | undefined {
  const wanted: string[] = node.spec.unschedulable ? [unschedulableTaint] : [];
  for (const { type, status } of node.status.conditions ?? []) {
    const key = byCondition[type]?.[status];
    if (key !== undefined) wanted.push(key);
  }
  const isManaged = ({ key, effect }: Taint): boolean => effect === "NoSchedule" && managed.has(key);
  const have = node.spec.taints ?? [];
  const missing = wanted.filter((key) => !have.some((taint) => taint.effect === "NoSchedule" && taint.key === key));
  const kept = have.filter((taint) => !isManaged(taint) || wanted.includes(taint.key));
  if (missing.length === 0 && kept.length === have.length) return undefined;
  return [...kept, ...missing.map((key): Taint => ({ key, effect: "NoSchedule", timeAdded: formatTime(now) }))];
}

/** The NoExecute taint that a node's readiness asks for. */
export function evictionTaint(node: Node): string | undefined {
  const ready = readyCondition(node);
  // A node that has never reported is as good as unreachable.
  if (ready === undefined) return undefined;
  return ready.status === "False" ? notReadyTaint : ready.status === "Unknown" ? unreachableTaint : undefined;
}

/** The node's taints with this NoExecute taint for readiness or none; undefined when they are so already. */
export function withEvictionTaint(node: Node, key: string | undefined, now: Date): readonly Taint[] | undefined {
  const have = node.spec.taints ?? [];
  const kept = have.filter(
    (taint) =>
      taint.effect !== "NoExecute" ||
      taint.key === key ||
      (taint.key !== notReadyTaint && taint.key !== unreachableTaint),
  );
  const present = key === undefined || kept.some((taint) => same(taint, { key, effect: "NoExecute" }));
  if (present && kept.length === have.length) return undefined;
  return present ? kept : [...kept, { key, effect: "NoExecute", timeAdded: formatTime(now) }];
}

export const noExecuteTaints = (node: core.Node): readonly Taint[] =>
  (node.spec.taints ?? []).filter(({ effect }) => effect === "NoExecute");
