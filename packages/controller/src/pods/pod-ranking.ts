import type { core } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";
import { isPodReady, readySinceMs } from "@orchernetes/component-helpers";

type Pod = Stored<core.Pod>;

/** Annotation with an int32: of two otherwise equal pods, the one with the lower cost is deleted first (KEP-2255). */
export const podDeletionCostAnnotation = "controller.orchernetes.io/pod-deletion-cost";

const phaseOrder: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 };

interface Ranked {
  readonly pod: Pod;
  readonly assigned: number;
  readonly phase: number;
  readonly ready: number;
  readonly cost: number;
  readonly siblings: number;
  readonly readyAge: number;
  readonly restarts: number;
  readonly age: number;
}

/**
 * Sorts pods in the order in which a set that scales down deletes them: unassigned before assigned, pending before unknown before
 * running, unready before ready, lower deletion cost before higher, those with more siblings on their node before others, those
 * that became ready last, those with more restarts, and the youngest first. Ages are compared on a logarithmic scale (KEP-2185),
 * so that the choice among pods of about the same age is practically random (by uid).
 *
 * @param siblingsOn number of related pods on a node
 */
export function inDeletionOrder(
  pods: readonly Pod[],
  siblingsOn: (nodeName: string) => number,
  nowMs: number,
): readonly Pod[] {
  const ranked: Ranked[] = pods.map((pod) => {
    const readySince = readySinceMs(pod);
    return {
      pod,
      assigned: pod.spec.nodeName ? 1 : 0,
      phase: phaseOrder[pod.status.phase ?? ""] ?? 1,
      ready: isPodReady(pod) ? 1 : 0,
      cost: deletionCost(pod),
      siblings: pod.spec.nodeName ? siblingsOn(pod.spec.nodeName) : 0,
      readyAge: readySince === undefined ? 0 : logAge(nowMs - readySince),
      restarts: maxRestarts(pod),
      age: logAge(nowMs - Date.parse(pod.metadata.creationTimestamp)),
    };
  });
  return ranked.sort(compare).map(({ pod }) => pod);
}

function compare(a: Ranked, b: Ranked): number {
  return (
    a.assigned - b.assigned ||
    a.phase - b.phase ||
    a.ready - b.ready ||
    a.cost - b.cost ||
    b.siblings - a.siblings ||
    a.readyAge - b.readyAge ||
    b.restarts - a.restarts ||
    a.age - b.age ||
    (a.pod.metadata.uid < b.pod.metadata.uid ? -1 : 1)
  );
}

/** Order of magnitude of an age: the binary logarithm of its nanoseconds, rounded down, as upstream computes it. */
const logAge = (ms: number): number => (ms > 0 ? Math.floor(Math.log2(ms * 1e6)) : 0);

function deletionCost(pod: Pod): number {
  const text = pod.metadata.annotations?.[podDeletionCostAnnotation];
  return text !== undefined && /^-?(0|[1-9]\d{0,9})$/.test(text) ? Number(text) : 0;
}

function maxRestarts(pod: Pod): number {
  let most = 0;
  for (const { restartCount } of pod.status.containerStatuses ?? []) most = Math.max(most, restartCount);
  return most;
}
