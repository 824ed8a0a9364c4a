import type { core, discovery } from "@orchernetes/api";
import { milliValueOf, type Stored } from "@orchernetes/apimachinery";
import { isConditionTrue } from "@orchernetes/component-helpers";
import type { Service } from "../service-pods/service-selector.ts";

type Endpoint = discovery.Endpoint;
type Node = Stored<core.Node>;

/** Share of the cluster's allocatable CPU in each zone; undefined if hints are not possible. */
export type ZoneShares = ReadonlyMap<string, number> | undefined;

/** Label of a node with the name of its zone. */
export const zoneLabel = "topology.orchernetes.io/zone";
const deprecatedAnnotation = "service.orchernetes.io/topology-aware-hints";
const modeAnnotation = "service.orchernetes.io/topology-mode";
/** Nodes with these labels are ignored: clients do not run on them. */
const excludedLabels = ["node-role.orchernetes.io/control-plane", "node-role.orchernetes.io/master"];
/** Maximum overload of the endpoints of a zone, relative to the average (KEP-2433). */
const overloadThreshold = 0.2;

/** Whether the service has topology hints enabled. The older annotation takes precedence. */
export function hintsEnabled({ metadata: { annotations = {} } }: Service): boolean {
  const mode = annotations[deprecatedAnnotation] ?? annotations[modeAnnotation];
  return mode === "Auto" || mode === "auto";
}

/** Undefined for fewer than two zones, and if a ready node lacks a zone label or allocatable CPU. */
export function zoneShares(nodes: readonly Node[]): ZoneShares {
  const cpu = new Map<string, number>();
  let total = 0;
  for (const { metadata, status } of nodes) {
    const { labels = {} } = metadata;
    if (excludedLabels.some((label) => label in labels)) continue;
    if (!isConditionTrue(status?.conditions, "Ready")) continue;
    const zone = labels[zoneLabel] ?? "";
    const milli = milliValueOf(status.allocatable?.cpu ?? "0");
    if (zone === "" || milli <= 0) return undefined;
    cpu.set(zone, (cpu.get(zone) ?? 0) + milli);
    total += milli;
  }
  return cpu.size < 2 ? undefined : new Map([...cpu].map(([zone, milli]) => [zone, milli / total]));
}

/** How many endpoints a zone should have, and between which bounds they need not be reassigned. */
interface Allocation {
  readonly minimum: number;
  readonly maximum: number;
  readonly desired: number;
}

/** Number of endpoints for each zone, or why there are no hints. */
function allocationsOf(shares: ZoneShares, count: number): ReadonlyMap<string, Allocation> | string {
  if (shares === undefined)
    return "Insufficient Node information: allocatable CPU or zone not specified on one or more nodes";
  const numbers = `(${count} endpoints, ${shares.size} zones)`;
  if (shares.size > count) return `Insufficient number of endpoints ${numbers}`;
  const minimums = [...shares].map(([zone, share]) => {
    const desired = share * count;
    return { zone, desired, minimum: Math.ceil(desired / (1 + overloadThreshold)) };
  });
  const spare = count - minimums.reduce((sum, { minimum }) => sum + minimum, 0);
  if (spare < 0) {
    const problem = "Unable to allocate minimum required endpoints to each zone without exceeding overload threshold";
    return `${problem} ${numbers}`;
  }
  return new Map(minimums.map(({ zone, desired, minimum }) => [zone, { desired, minimum, maximum: minimum + spare }]));
}

const isReady = ({ conditions }: Endpoint): boolean => conditions?.ready !== false;

/** Endpoints of a slice, and whether the slice will be written in any case. */
export interface HintedSlice {
  readonly endpoints: readonly Endpoint[];
  readonly written: boolean;
}

/** The endpoints of slices, in their order, and why they have no hints; undefined if they have. */
export interface Hinted {
  readonly endpoints: readonly (readonly Endpoint[])[];
  readonly problem: string | undefined;
}

/** The endpoints of all slices of one address family without hints. */
export function withoutAnyHints(slices: readonly HintedSlice[]): readonly (readonly Endpoint[])[] {
  return slices.map(({ endpoints }) => withoutHints(endpoints));
}

/**
 * The endpoints of all slices of one address family with hints. Each endpoint serves its own zone, unless a zone has too few and is
 * given some of other zones. Without shares, or when hints would overload a zone, no endpoint has hints.
 */
export function withHints(slices: readonly HintedSlice[], shares: ZoneShares): Hinted {
  const ready = slices.flatMap(({ endpoints }) => endpoints.filter(isReady));
  const allocations = allocationsOf(shares, ready.length);
  if (typeof allocations === "string") return { endpoints: withoutAnyHints(slices), problem: allocations };
  if (!ready.every(({ zone }) => zone !== undefined && zone !== ""))
    return { endpoints: withoutAnyHints(slices), problem: "One or more endpoints do not have a zone specified" };
  const given = new Map<string, number>();
  const give = (zone: string, count = 1): void => void given.set(zone, (given.get(zone) ?? 0) + count);
  const kept = slices.map(({ endpoints, written }) => {
    const hints = written ? undefined : hintsOf(endpoints, allocations, given);
    for (const [zone, count] of hints ?? []) give(zone, count);
    return hints !== undefined;
  });
  const drafts = slices.map(({ endpoints }, i) => {
    if (kept[i]) return endpoints;
    return endpoints.map((endpoint) => {
      if (!isReady(endpoint)) return withoutHint(endpoint);
      const { zone = "" } = endpoint;
      give(zone);
      return hinted(endpoint, zone);
    });
  });
  lend(drafts.filter((_, i) => !kept[i]) as Endpoint[][], allocations, given);
  return { endpoints: drafts, problem: undefined };
}

/** Reassigns endpoints from zones with a surplus to zones with too few. */
function lend(
  slices: readonly Endpoint[][],
  allocations: ReadonlyMap<string, Allocation>,
  given: ReadonlyMap<string, number>,
): void {
  const giving = new Map<string, number>();
  const receiving: { readonly zone: string; missing: number }[] = [];
  for (const [zone, { desired, minimum }] of allocations) {
    const have = given.get(zone) ?? 0;
    const surplus = Math.floor(have - desired);
    if (surplus > 0) giving.set(zone, surplus);
    if (have < minimum) receiving.push({ zone, missing: minimum - have });
  }
  // Zones without nodes donate all their endpoints.
  for (const [zone, have] of given) if (!allocations.has(zone)) giving.set(zone, have);
  for (const endpoints of slices) {
    for (const [i, endpoint] of endpoints.entries()) {
      const surplus = giving.get(endpoint.zone ?? "") ?? 0;
      const [to] = receiving;
      if (to === undefined) return;
      if (!isReady(endpoint) || surplus === 0) continue;
      endpoints[i] = hinted(endpoint, to.zone);
      giving.set(endpoint.zone ?? "", surplus - 1);
      to.missing -= 1;
      if (to.missing === 0) receiving.shift();
    }
  }
}

/**
 * Number of hints of a slice by zone; undefined if it must be written because hints are missing, or too many for a
 * zone.
 */
function hintsOf(
  endpoints: readonly Endpoint[],
  allocations: ReadonlyMap<string, Allocation>,
  given: ReadonlyMap<string, number>,
): ReadonlyMap<string, number> | undefined {
  const counts = new Map<string, number>();
  for (const endpoint of endpoints) {
    if (!isReady(endpoint)) continue;
    const zones = endpoint.hints?.forZones ?? [];
    if (zones.length === 0) return undefined;
    for (const { name } of zones) {
      const limit = allocations.get(name)?.maximum;
      const count = (counts.get(name) ?? 0) + 1;
      if (limit === undefined || (given.get(name) ?? 0) + count > limit) return undefined;
      counts.set(name, count);
    }
  }
  return counts;
}

const hinted = (endpoint: Endpoint, zone: string): Endpoint => ({ ...endpoint, hints: { forZones: [{ name: zone }] } });

function withoutHint(endpoint: Endpoint): Endpoint {
  if (endpoint.hints === undefined) return endpoint;
  const { hints: _, ...rest } = endpoint;
  return rest;
}

function withoutHints(endpoints: readonly Endpoint[]): readonly Endpoint[] {
  return endpoints.some(({ hints }) => hints !== undefined) ? endpoints.map(withoutHint) : endpoints;
}
