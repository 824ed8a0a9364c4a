import { setImmediate as turn } from "node:timers/promises";
import type { core } from "@orchernetes/api";
import { type LevelVersion, levelText } from "./policy.ts";
import { reasonsText, violationsOf } from "./standards.ts";

/** What the check of a namespace's pods may cost. */
export interface CheckLimits {
  readonly maxPods: number;
  readonly timeoutMs: number;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
  readonly signal: AbortSignal;
}

/** Pods that are checked before other work of the server has its turn. */
const PODS_A_TURN = 100;

/** First one pod of each controller, and those without, then the others of the controllers. */
function prioritized(pods: readonly core.Pod[]): readonly core.Pod[] {
  const seen = new Set<string>();
  const later: core.Pod[] = [];
  const first = pods.filter((pod) => {
    const uid = pod.metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid;
    if (uid === undefined) return true;
    if (seen.has(uid)) {
      later.push(pod);
      return false;
    }
    seen.add(uid);
    return true;
  });
  return [...first, ...later];
}

function othersText(count: number): string {
  if (count === 0) return "";
  return count === 1 ? " (and 1 other pod)" : ` (and ${count} other pods)`;
}

/**
 * Warnings about the pods that a level would reject which is to be enforced from now on: one for each set of reasons, with the first of the
 * pods' names and the number of the others.
 */
export async function existingPodWarnings(
  namespace: string,
  level: LevelVersion,
  pods: readonly core.Pod[],
  { maxPods, timeoutMs, now, signal }: CheckLimits,
): Promise<readonly string[]> {
  const found = new Map<string, { first: string; count: number }>();
  const deadline = now() + timeoutMs;
  const candidates = prioritized(pods).slice(0, maxPods);
  let checked = 0;
  for (const pod of candidates) {
    if (checked % PODS_A_TURN === PODS_A_TURN - 1) await turn();
    const reasons = reasonsText(violationsOf(level, pod));
    if (reasons !== "") {
      const name = pod.metadata.name ?? "";
      const entry = found.get(reasons);
      found.set(reasons, {
        first: entry === undefined || name < entry.first ? name : entry.first,
        count: (entry?.count ?? 0) + 1,
      });
    }
    checked += 1;
    if (now() > deadline || signal.aborted) break;
  }
  const warnings: string[] = [];
  if (checked < pods.length)
    warnings.push(
      `new PodSecurity enforce level only checked against the first ${checked} of ${pods.length} existing pods`,
    );
  if (found.size > 0)
    warnings.push(
      `existing pods in namespace ${JSON.stringify(namespace)} violate the new PodSecurity enforce level ${JSON.stringify(levelText(level))}`,
    );
  const lines = [...found].map(([reasons, { first, count }]) => `${first}${othersText(count - 1)}: ${reasons}`);
  return [...warnings, ...lines.sort()];
}
