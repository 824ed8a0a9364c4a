import type { core } from "@orchernetes/api";
import { formatTime, type Stored } from "@orchernetes/apimachinery";
import { findCondition } from "@orchernetes/component-helpers";

/** A Node as the API server returns it. */
export type Node = Stored<core.Node>;
type Condition = core.NodeCondition;

/** The state of a node between two checks. Times are in milliseconds since the epoch, on this process's clock. */
export interface NodeHealth {
  /** Time at which the node's report or lease last changed. */
  readonly probedMs: number;
  /**
   * Times of the last report and lease renewal. They are only compared for changes: the node's clock may differ from
   * ours.
   */
  readonly heartbeat: string;
  readonly renewTime: string;
  /** Status of the Ready condition, and the time since when it has been the same. */
  readonly readyStatus: Condition["status"] | undefined;
  readonly transitionMs: number;
}

/** Time limits of the health check. */
export interface HealthLimits {
  readonly gracePeriodMs: number;
  /** For nodes whose agent has never reported. */
  readonly startupGracePeriodMs: number;
}

/** The result of a health check. */
export interface HealthVerdict {
  readonly health: NodeHealth;
  /** The status to write; absent if it is unchanged. */
  readonly status?: core.NodeStatus;
  /** Whether the node was ready at the previous check and is not now. */
  readonly becameUnready: boolean;
}

/** The conditions that the node's agent reports, and that are therefore unknown when it does not. */
const watched = ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"];

/** The Ready condition of a node. */
export function readyCondition({ status }: core.Node): Condition | undefined {
  return findCondition(status?.conditions, "Ready");
}

/**
 * Checks whether a node's agent is alive, by changes of its reports and its lease (KEP-589). If nothing has changed for
 * the grace period, the conditions become Unknown. Pure.
 */
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
      // Our own write of the status must not count as a report of the node.
      heartbeat: silent ? `${ready?.lastHeartbeatTime ?? ""} Unknown` : heartbeat,
      renewTime: renewTime || (before?.renewTime ?? ""),
      readyStatus,
      transitionMs: before !== undefined && !changed ? before.transitionMs : nowMs,
    },
    ...(status === undefined ? {} : { status }),
    becameUnready: before?.readyStatus === "True" && readyStatus !== "True",
  };
}

/** The status of a node that has stopped reporting; undefined if it has been written already. */
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
