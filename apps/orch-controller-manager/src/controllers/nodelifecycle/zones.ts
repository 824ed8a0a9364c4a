import type { core } from "@orchernetes/api";
import { type Node, readyCondition } from "./node-health.ts";

/** The state of a zone: enough nodes are ready, none is ready, or too many are not. */
type ZoneState = "Normal" | "FullDisruption" | "PartialDisruption";

/** Eviction rates and thresholds of zones. */
export interface ZoneLimits {
  /** Nodes per second that get the NoExecute taint in a healthy zone. */
  readonly evictionRate: number;
  /** The same rate in a large zone in which too many nodes are unready. */
  readonly secondaryEvictionRate: number;
  /** A zone is large above this many nodes. */
  readonly largeClusterSize: number;
  /** Fraction of unready nodes from which a zone is partially disrupted. */
  readonly unhealthyThreshold: number;
}

/** Region and zone of a node as one key; "" if it has neither. */
export function zoneOf({ metadata }: core.Node): string {
  const { labels = {} } = metadata;
  const region = labels["topology.orchernetes.io/region"] ?? "";
  const zone = labels["topology.orchernetes.io/zone"] ?? "";
  return region === "" && zone === "" ? "" : `${region}:\u0000:${zone}`;
}

/** Nodes with this label are ignored for the state of their zone. */
const excludedLabel = "node.orchernetes.io/exclude-disruption";

/** One or two unready nodes never disrupt a zone: in small zones they would be a large fraction. */
function stateOf(readiness: readonly boolean[], unhealthyThreshold: number): ZoneState {
  const unready = readiness.filter((ready) => !ready).length;
  if (unready > 0 && unready === readiness.length) return "FullDisruption";
  return unready > 2 && unready / readiness.length >= unhealthyThreshold ? "PartialDisruption" : "Normal";
}

/** The states of all zones, and the eviction rates that follow. */
export interface Disruption {
  readonly states: ReadonlyMap<string, ZoneState>;
  /** Nodes per second that may be tainted for eviction, by zone. */
  readonly rates: ReadonlyMap<string, number>;
  /** Full disruption: no node of any zone is ready, so this process is probably disconnected and evictions stop. */
  readonly isFull: boolean;
}

/**
 * The state of the zones. A fully disrupted zone is more likely disconnected than dead, but as long as another zone is
 * healthy, its pods are replaced there.
 */
export function disruptionOf(
  nodes: readonly Node[],
  limits: ZoneLimits,
  isReady: (node: Node) => boolean = (node) => readyCondition(node)?.status === "True",
): Disruption {
  const zones = new Map<string, boolean[]>();
  for (const node of nodes) {
    const zone = zoneOf(node);
    const members = zones.get(zone) ?? [];
    zones.set(zone, members);
    if (node.metadata.labels?.[excludedLabel] === undefined) members.push(isReady(node));
  }
  const states = new Map<string, ZoneState>();
  const rates = new Map<string, number>();
  let counted = 0;
  for (const [zone, members] of zones) {
    const state = stateOf(members, limits.unhealthyThreshold);
    if (members.length > 0) counted += 1;
    states.set(zone, state);
    const reduced = members.length > limits.largeClusterSize ? limits.secondaryEvictionRate : 0;
    rates.set(zone, state === "PartialDisruption" ? reduced : limits.evictionRate);
  }
  const silent = [...states.values()].filter((state) => state === "FullDisruption").length;
  const isFull = counted > 0 && silent === counted;
  if (isFull) for (const zone of rates.keys()) rates.set(zone, 0);
  return { states, rates, isFull };
}
