import type { core } from "@orchernetes/api";
import { formatTime } from "@orchernetes/apimachinery";

/** What the node's conditions are made from. */
export interface NodeHealth {
  /** Why pods cannot be run now, one reason each; empty when they can. */
  readonly errors: readonly string[];
  readonly pressure: { readonly memory: boolean; readonly disk: boolean; readonly pids: boolean };
}

type Answer = Required<Pick<core.NodeCondition, "type" | "status" | "reason" | "message">>;

function pressure(type: string, on: boolean, what: string, yes: string, no: string): Answer {
  return on
    ? { type, status: "True", reason: yes, message: `orchlet has ${what}` }
    : {
        type,
        status: "False",
        reason: no,
        message: `orchlet has ${what.replace("insufficient", "sufficient").replace("disk pressure", "no disk pressure")}`,
      };
}

/** The node's conditions. Pure; a transition's time is kept while the status stays. */
export function nodeConditions(
  health: NodeHealth,
  shown: readonly core.NodeCondition[],
  now: Date,
): readonly core.NodeCondition[] {
  const { errors } = health;
  const { memory, disk, pids } = health.pressure;
  const answers: readonly Answer[] = [
    pressure(
      "MemoryPressure",
      memory,
      "insufficient memory available",
      "OrchletHasInsufficientMemory",
      "OrchletHasSufficientMemory",
    ),
    pressure("DiskPressure", disk, "disk pressure", "OrchletHasDiskPressure", "OrchletHasNoDiskPressure"),
    pressure("PIDPressure", pids, "insufficient PID available", "OrchletHasInsufficientPID", "OrchletHasSufficientPID"),
    errors.length === 0
      ? { type: "Ready", status: "True", reason: "OrchletReady", message: "orchlet is posting ready status" }
      : { type: "Ready", status: "False", reason: "OrchletNotReady", message: errors.join(", ") },
  ];
  const own = answers.map((answer): core.NodeCondition => {
    const before = shown.find(({ type }) => type === answer.type);
    const since = before?.status === answer.status ? before.lastTransitionTime : undefined;
    return { ...answer, lastHeartbeatTime: formatTime(now), lastTransitionTime: since ?? formatTime(now) };
  });
  return [...own, ...shown.filter(({ type }) => answers.every((answer) => answer.type !== type))];
}
