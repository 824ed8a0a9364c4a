import type { core } from "@orchernetes/api";
import { formatTime, type Stored } from "@orchernetes/apimachinery";
import { findCondition } from "@orchernetes/component-helpers";

export type Node = Stored<core.Node>;
type Condition = core.NodeCondition;

/** What is remembered of a node between two looks at it. Times are milliseconds since 1970, by this process's clock. */
export interface NodeHealth {
  /** When the node last gave a sign of life. */
  readonly probedMs: number;
  /** Time of its agent's last report, and of its lease: only that they changed counts, not what they say. */
  readonly heartbeat: string;
  readonly renewTime: string;
  /** Since when Ready has had its present status. */
  readonly readyStatus: Condition["status"] | undefined;
  readonly transitionMs: number;
}

export interface HealthLimits {
  readonly gracePeriodMs: number;
  /** For nodes whose agent has never reported. */
  readonly startupGracePeriodMs: number;
}

export interface HealthVerdict {
  readonly health: NodeHealth;
  /** Status to be written; absent: as it is. */
  readonly status?: core.NodeStatus;
  /** Ready has just stopped being True. */
  readonly becameUnready: boolean;
}

const watched = ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"];

export function readyCondition({ status }: core.Node): Condition | undefined {
  return findCondition(status?.conditions, "Ready");
}

/** Whether a node's agent is alive, by its reports and its lease; conditions of a silent one become Unknown. */
export function assessNode(
  node: Node,
  lease: { readonly spec?: { readonly renewTime?: string | undefined } | undefined } | undefined,
  before: NodeHealth | undefined,
  limits: HealthLimits,
  now: Date,
): HealthVerdict {
  const nowMs = now.getTime();
  const ready = readyCondition(node);
  const heartbeat = `${ready?.lastHeartbeatTime ?? ""} ${ready?.status ?? ""}`;
  const renewTime = lease?.spec?.renewTime ?? "";
  const alive =
    before === undefined || heartbeat !== before.heartbeat || (renewTime !== "" && renewTime !== before.renewTime);
  const firstMs = ready === undefined ? Date.parse(node.metadata.creationTimestamp) : nowMs;
  const probedMs = before === undefined ? firstMs : alive ? nowMs : before.probedMs;
  const grace = ready?.lastHeartbeatTime === undefined ? limits.startupGracePeriodMs : limits.gracePeriodMs;

  const silent = nowMs > probedMs + grace;
  const status = silent ? silenced(node, now) : undefined;
  const readyStatus = silent ? "Unknown" : ready?.status;
  const changed = readyStatus !== before?.readyStatus;
  return {
    health: {
      probedMs,
      // What this process writes is no sign of life.
      heartbeat: silent ? `${ready?.lastHeartbeatTime ?? ""} Unknown` : heartbeat,
      renewTime: renewTime || (before?.renewTime ?? ""),
      readyStatus,
      transitionMs: before !== undefined && !changed ? before.transitionMs : nowMs,
    },
    ...(status === undefined ? {} : { status }),
    becameUnready: before?.readyStatus === "True" && readyStatus !== "True",
  };
}

/** The status of a node that has gone silent; undefined when it says so already. */
function silenced(node: Node, now: Date): core.NodeStatus | undefined {
  const time = formatTime(now);
  const conditions = [...(node.status.conditions ?? [])];
  let changed = false;
  for (const type of watched) {
    const at = conditions.findIndex((condition) => condition.type === type);
    const known = conditions[at];
    if (known === undefined) {
      changed = true;
      conditions.push({
        type,
        status: "Unknown",
        reason: "NodeStatusNeverUpdated",
        message: "Orchlet never posted node status.",
        lastHeartbeatTime: node.metadata.creationTimestamp,
        lastTransitionTime: time,
      });
    } else if (known.status !== "Unknown") {
      changed = true;
      conditions[at] = {
        ...known,
        status: "Unknown",
        reason: "NodeStatusUnknown",
        message: "Orchlet stopped posting node status.",
        lastTransitionTime: time,
      };
    }
  }
  return changed ? { ...node.status, conditions } : undefined;
}
