import type { core } from "@orchernetes/api";
import { formatTime } from "@orchernetes/apimachinery";

/** The observations from which the node's conditions are derived. */
export interface NodeHealth {
  /** Reasons why the node cannot run pods now; empty if it is ready. */
  readonly errors: readonly string[];
  /** Whether the host has AppArmor, which a node that is ready says. @default false */
  readonly hasAppArmor?: boolean;
  readonly pressure: { readonly memory: boolean; readonly disk: boolean; readonly pids: boolean };
}

type ConditionState = Required<Pick<core.NodeCondition, "type" | "status" | "reason" | "message">>;

function pressure(type: string, on: boolean, what: string, yes: string, no: string): ConditionState {
  return on
    ? { type, status: "True", reason: yes, message: `orchlet has ${what}` }
    : {
        type,
        status: "False",
        reason: no,
        message: `orchlet has ${what.replace("insufficient", "sufficient").replace("disk pressure", "no disk pressure")}`,
      };
}

/**
 * The node's conditions. Pure. `lastTransitionTime` changes only with the status of a condition; conditions of other
 * writers are kept.
 *
 * @param shown conditions that the Node object has now
 */
export function nodeConditions(
  health: NodeHealth,
  shown: readonly core.NodeCondition[],
  now: Date,
): readonly core.NodeCondition[] {
  const errors = [...new Set(health.errors)];
  const { memory, disk, pids } = health.pressure;
  const states: readonly ConditionState[] = [
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
      ? { type: "Ready", status: "True", reason: "OrchletReady", message: readyMessage(health) }
      : { type: "Ready", status: "False", reason: "OrchletNotReady", message: joined(errors) },
  ];
  const own = states.map((state): core.NodeCondition => {
    const before = shown.find(({ type }) => type === state.type);
    const since = before?.status === state.status ? before.lastTransitionTime : undefined;
    return { ...state, lastHeartbeatTime: formatTime(now), lastTransitionTime: since ?? formatTime(now) };
  });
  return [...own, ...shown.filter(({ type }) => states.every((state) => state.type !== type))];
}

const readyMessage = ({ hasAppArmor = false }: NodeHealth): string =>
  `orchlet is posting ready status${hasAppArmor ? ". AppArmor enabled" : ""}`;

/** Several errors are in brackets, as in the original. */
const joined = (errors: readonly string[]): string => (errors.length === 1 ? errors.join() : `[${errors.join(", ")}]`);
