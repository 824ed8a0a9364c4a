import type { Column, RowCondition } from "@orchernetes/apimachinery";
import { age, column, name, orNone, since } from "../../shared/columns.ts";
import type { ContainerStatus } from "./types/container-status.ts";
import type { Pod } from "./types/pod.ts";

/** The state of a pod in one line of a table. */
interface Summary {
  readonly status: string;
  readonly ready: number;
  readonly restarts: number;
  /** Time at which a container terminated last, RFC 3339; "" if none has. */
  readonly lastEnd: string;
}

/**
 * Summarizes a pod for tables: its status is the most interesting reason among those of pod and containers, in
 * upstream's precedence (`printPod`). While init containers run, it is their progress.
 */
export function summarizePod(pod: Pod): Summary {
  const { status } = pod;
  let reason: string = status.reason || (status.phase ?? "");
  if (status.conditions?.some(({ type, reason }) => type === "PodScheduled" && reason === "SchedulingGated")) {
    reason = "SchedulingGated";
  }
  const init = summarizeInit(pod);
  const main = init === undefined ? summarizeMain(pod, reason) : { status: init, ready: 0 };
  const counted = (init === undefined ? status.containerStatuses : status.initContainerStatuses) ?? [];
  reason = main.status;
  if (pod.metadata.deletionTimestamp) {
    reason = status.reason === "NodeLost" ? "Unknown" : "Terminating";
  }
  return {
    status: reason,
    ready: main.ready,
    restarts: counted.reduce((sum, { restartCount }) => sum + restartCount, 0),
    lastEnd: counted.reduce((last, container) => later(last, container.lastState?.terminated?.finishedAt), ""),
  };
}

function later(a: string, b: string | undefined | null): string {
  return b !== undefined && b !== null && b > a ? b : a;
}

/** Progress of initialization; undefined when it is complete. */
function summarizeInit({ spec, status }: Pod): string | undefined {
  for (const [i, { state }] of (status.initContainerStatuses ?? []).entries()) {
    const { terminated, waiting } = state ?? {};
    if (terminated !== undefined && terminated.exitCode === 0) {
      continue;
    }
    if (terminated !== undefined) {
      return `Init:${terminationReason(terminated)}`;
    }
    if (waiting?.reason && waiting.reason !== "PodInitializing") {
      return `Init:${waiting.reason}`;
    }
    return `Init:${i}/${spec.initContainers?.length ?? 0}`;
  }
  return undefined;
}

function terminationReason(terminated: NonNullable<ContainerStatus["state"]["terminated"]>): string {
  return terminated.reason || (terminated.signal ? `Signal:${terminated.signal}` : `ExitCode:${terminated.exitCode}`);
}

function summarizeMain({ status }: Pod, phase: string): { readonly status: string; readonly ready: number } {
  let reason = phase;
  let ready = 0;
  // In reverse order, so that the reason of the first container remains.
  for (const container of (status.containerStatuses ?? []).toReversed()) {
    const { waiting, terminated, running } = container.state ?? {};
    if (waiting?.reason) {
      reason = waiting.reason;
    } else if (terminated !== undefined) {
      reason = terminationReason(terminated);
    } else if (container.ready && running !== undefined) {
      ready++;
    }
  }
  if (reason === "Completed" && ready > 0) {
    const isReady = status.conditions?.some((condition) => condition.type === "Ready" && condition.status === "True");
    reason = isReady === true ? "Running" : "NotReady";
  }
  return { status: reason, ready };
}

function restarts(pod: Pod, now: Date): string {
  const summary = summarizePod(pod);
  const ago = summary.lastEnd === "" || summary.restarts === 0 ? "" : ` (${since(summary.lastEnd, now)} ago)`;
  return `${summary.restarts}${ago}`;
}

/** Satisfied readiness gates, of all (KEP-580). */
function readinessGates({ spec, status }: Pod): string {
  const gates = spec.readinessGates ?? [];
  if (gates.length === 0) {
    return "<none>";
  }
  const open = gates.filter(({ conditionType }) =>
    status.conditions?.some((condition) => condition.type === conditionType && condition.status === "True"),
  );
  return `${open.length}/${gates.length}`;
}

/** Columns of pod tables. */
export const podColumns: readonly Column<Pod>[] = [
  name(),
  column(
    "Ready",
    "string",
    "Containers that are ready, of all containers.",
    (pod) => `${summarizePod(pod).ready}/${pod.spec.containers.length}`,
  ),
  column("Status", "string", "State of the pod as its containers show it.", (pod) => summarizePod(pod).status),
  column("Restarts", "string", "How often containers were started again, and when one ended last.", restarts),
  age(),
  column("IP", "string", "First address of the pod.", (pod) => orNone(pod.status.podIPs?.[0]?.ip), 1),
  column("Node", "string", "Node that the pod is bound to.", (pod) => orNone(pod.spec.nodeName), 1),
  column(
    "Nominated Node",
    "string",
    "Node that is being cleared for the pod.",
    (pod) => orNone(pod.status.nominatedNodeName),
    1,
  ),
  column("Readiness Gates", "string", "Readiness gates that are open, of all gates.", readinessGates, 1),
];

const ended: Readonly<Record<string, RowCondition>> = Object.freeze({
  Succeeded: {
    type: "Completed",
    status: "True",
    reason: "Succeeded",
    message: "The pod has completed successfully.",
  },
  Failed: { type: "Completed", status: "True", reason: "Failed", message: "The pod failed." },
});

/** The row of a pod that has ended is marked, so that clients can hide it. */
export function podRowConditions({ status: { phase } }: Pod): readonly RowCondition[] {
  const condition = phase !== undefined && Object.hasOwn(ended, phase) ? ended[phase] : undefined;
  return condition === undefined ? [] : [condition];
}
