import type { core } from "@orchernetes/api";
import { type Node, readyCondition } from "./node-health.ts";

/** How a zone is doing: all well enough, all nodes gone, or too many of them. */
export type ZoneState = "Normal" | "FullDisruption" | "PartialDisruption";

export interface ZoneLimits {
  /** Nodes per second that get the NoExecute taint in a healthy zone. */
  readonly evictionRate: number;
  /** … in a large zone in which too many are unready. */
  readonly secondaryEvictionRate: number;
  /** A zone is large above this many nodes. */
  readonly largeClusterSize: number;
  /** Share of unready nodes from which a zone counts as disrupted. */
  readonly unhealthyThreshold: number;
}

/** Region and zone of a node, as one text; "" when it has neither. */
export function zoneOf({ metadata }: core.Node): string {
  const { labels = {} } = metadata;
  const region = labels["topology.orchernetes.io/region"] ?? "";
  const zone = labels["topology.orchernetes.io/zone"] ?? "";
  return region === "" && zone === "" ? "" : `${region}:\u0000:${zone}`;
}

function stateOf(nodes: readonly Node[], unhealthyThreshold: number): ZoneState {
  const unready = nodes.filter((node) => readyCondition(node)?.status !== "True").length;
  const ready = nodes.length - unready;
  if (ready === 0 && unready > 0) return "FullDisruption";
  return unready > 2 && unready / nodes.length >= unhealthyThreshold ? "PartialDisruption" : "Normal";
}

/**
 * Nodes per second that may be tainted for eviction, by zone. A wholly silent zone is more likely cut off than dead, but as
 * long as another one lives, its pods are better replaced there. When all zones are silent, it is this process that is cut
 * off, and nothing is evicted.
 */
export function evictionRates(nodes: readonly Node[], limits: ZoneLimits): ReadonlyMap<string, number> {
  const zones = new Map<string, Node[]>();
  for (const node of nodes) {
    const zone = zoneOf(node);
    const members = zones.get(zone);
    if (members === undefined) zones.set(zone, [node]);
    else members.push(node);
  }
  const states = new Map([...zones].map(([zone, members]) => [zone, stateOf(members, limits.unhealthyThreshold)]));
  const allSilent = [...states.values()].every((state) => state === "FullDisruption");
  const rates = new Map<string, number>();
  for (const [zone, state] of states) {
    const large = (zones.get(zone)?.length ?? 0) > limits.largeClusterSize;
    const rate = state === "PartialDisruption" ? (large ? limits.secondaryEvictionRate : 0) : limits.evictionRate;
    rates.set(zone, allSilent ? 0 : rate);
  }
  return rates;
}
