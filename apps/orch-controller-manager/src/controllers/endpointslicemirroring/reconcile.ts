import type { core, discovery } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";
import type { Plan } from "@orchernetes/controller";
import { leaderAnnotation } from "@orchernetes/leader-election";
import { semanticEqual } from "../../shared/semantic-equal.ts";
import type { EndpointSlice } from "../service-pods/managed-slices.ts";
import type { Service } from "../service-pods/service-selector.ts";
import { type Desired, desiredEndpoints, type EndpointGroup, endpointKey, groupKey } from "./desired-endpoints.ts";
import { mirroredMetadata } from "./mirrored-metadata.ts";

const skipMirrorLabel = "endpointslice.orchernetes.io/skip-mirror";
/** Slices of one Endpoints object, each of which repeats its labels and annotations: one for each family and set of ports. */
const maxSlices = 100;

type Endpoints = Stored<core.Endpoints>;

/** Everything that determines the slices of an Endpoints object. */
export interface MirrorState {
  readonly endpoints: Endpoints | undefined;
  readonly service: Service | undefined;
  /** The slices of the service that this controller manages. */
  readonly slices: readonly EndpointSlice[];
  readonly maxEndpointsPerSubset: number;
}

/** A step of the controller. */
export type MirrorAction =
  | { readonly type: "Create"; readonly slice: discovery.EndpointSlice }
  | { readonly type: "Update"; readonly slice: EndpointSlice }
  | { readonly type: "Delete"; readonly slice: EndpointSlice }
  | { readonly type: "Warn"; readonly reason: string; readonly message: string };

/** How many endpoints a plan changes, for metrics. */
export interface MirrorTotals {
  readonly added: number;
  readonly updated: number;
  readonly removed: number;
  readonly skipped: number;
  readonly desiredEndpoints: number;
  readonly desiredSlices: number;
}

/** A plan with its totals; without totals if nothing is mirrored. */
export interface MirrorPlan extends Plan<MirrorAction> {
  readonly totals?: MirrorTotals;
}

/** Whether the object holds endpoints that users manage: not the record of a leader election, and not marked to be skipped. */
export function mayMirror({ metadata: { labels, annotations } }: Endpoints): boolean {
  return labels?.[skipMirrorLabel] !== "true" && annotations?.[leaderAnnotation] === undefined;
}

/**
 * Computes the slices that mirror the Endpoints of a service without selector: one slice for the endpoints with the same
 * address family and ports. Slices of anything else are deleted. Pure.
 */
export function reconcile(state: MirrorState): MirrorPlan {
  const { endpoints, service, slices, maxEndpointsPerSubset } = state;
  const isMirrored = endpoints !== undefined && mayMirror(endpoints);
  if (!isMirrored || service === undefined || service.spec.selector !== undefined) {
    return { actions: slices.map((slice) => ({ type: "Delete", slice })) };
  }
  const desired = desiredEndpoints(endpoints, { maxPerSubset: maxEndpointsPerSubset, maxSlices });
  const existing = Map.groupBy(slices, ({ addressType, ports }) => groupKey(addressType, ports));
  const changes: Changes = { writes: [], doomed: [], added: 0, updated: 0, removed: 0 };
  for (const [key, group] of desired.groups) {
    placeGroup(changes, endpoints, capped(group, maxEndpointsPerSubset), existing.get(key) ?? []);
  }
  for (const [key, others] of existing) if (!desired.groups.has(key)) changes.doomed.push(...others);
  const { added, updated, removed } = changes;
  const wanted = [...desired.groups.values()];
  return {
    actions: [...warnings(desired, maxEndpointsPerSubset), ...recycled(changes, endpoints)],
    totals: {
      added,
      updated,
      removed,
      skipped: desired.skipped,
      desiredEndpoints: wanted.reduce((sum, group) => sum + group.endpoints.size, 0),
      desiredSlices: wanted.length,
    },
  };
}

/** What is to be written, collected over the groups. */
interface Changes {
  readonly writes: (Extract<MirrorAction, { type: "Create" }> | Extract<MirrorAction, { type: "Update" }>)[];
  readonly doomed: EndpointSlice[];
  added: number;
  updated: number;
  removed: number;
}

/** Several subsets can have the same ports, but a slice has a limit. */
function capped(group: EndpointGroup, max: number): EndpointGroup {
  if (group.endpoints.size <= max) return group;
  return { ...group, endpoints: new Map([...group.endpoints].slice(0, max)) };
}

/** Puts a group into the first of its slices, by name, so that two managers choose the same; the others are deleted. */
function placeGroup(
  changes: Changes,
  endpoints: Endpoints,
  group: EndpointGroup,
  existing: readonly EndpointSlice[],
): void {
  const [slice, ...others] = existing.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  changes.doomed.push(...others);
  const content = [...group.endpoints.values()];
  if (slice === undefined) {
    changes.added += content.length;
    changes.writes.push({ type: "Create", slice: newSlice(endpoints, group, content) });
    return;
  }
  const found = new Map((slice.endpoints ?? []).map((endpoint) => [endpointKey(endpoint), endpoint]));
  let kept = 0;
  let updated = 0;
  for (const [key, endpoint] of group.endpoints) {
    const known = found.get(key);
    if (known === undefined) continue;
    kept += 1;
    if (!semanticEqual(known, endpoint)) updated += 1;
  }
  const added = content.length - kept;
  const removed = (slice.endpoints ?? []).length - kept;
  changes.added += added;
  changes.updated += updated;
  changes.removed += removed;
  const metadata = { ...slice.metadata, ...mirroredMetadata(endpoints) };
  if (added + updated + removed === 0 && semanticEqual(metadata, slice.metadata)) return;
  changes.writes.push({ type: "Update", slice: { ...slice, metadata, endpoints: content } });
}

/** Lets new slices take the place of those that are to be deleted. An object that is being deleted gets no new slices. */
function recycled({ writes, doomed }: Changes, { metadata }: Endpoints): readonly MirrorAction[] {
  const left = [...doomed];
  const actions: MirrorAction[] = [];
  for (const write of writes) {
    if (write.type === "Update") {
      actions.push(write);
      continue;
    }
    const { addressType, ports, endpoints, metadata: wanted } = write.slice;
    const at = left.findIndex((slice) => slice.addressType === addressType);
    const [old] = at === -1 ? [] : left.splice(at, 1);
    if (old !== undefined) {
      const { labels, annotations, ownerReferences } = wanted;
      const renewed = { ...old.metadata, labels, annotations, ownerReferences };
      actions.push({ type: "Update", slice: { ...old, metadata: renewed, ports, endpoints } });
    } else if (metadata.deletionTimestamp === undefined) actions.push(write);
  }
  return [...actions, ...left.map((slice): MirrorAction => ({ type: "Delete", slice }))];
}

function newSlice(
  owner: Endpoints,
  { addressType, ports }: EndpointGroup,
  endpoints: readonly discovery.Endpoint[],
): discovery.EndpointSlice {
  const { name, namespace = "" } = owner.metadata;
  return {
    metadata: { generateName: `${name}-`, namespace, ...mirroredMetadata(owner) },
    addressType,
    endpoints,
    ports,
  };
}

function warnings({ invalid, skipped, beyondSlices }: Desired, max: number): readonly MirrorAction[] {
  const found: MirrorAction[] = [];
  if (invalid > 0) {
    const message = `Skipped ${invalid} invalid IP addresses when mirroring to EndpointSlices`;
    found.push({ type: "Warn", reason: "InvalidIPAddress", message });
  }
  const ofSubsets = skipped - beyondSlices;
  if (ofSubsets > invalid) {
    const limit = `A max of ${max} addresses can be mirrored to EndpointSlices per Endpoints subset.`;
    const message = `${limit} ${ofSubsets} addresses were skipped`;
    found.push({ type: "Warn", reason: "TooManyAddressesToMirror", message });
  }
  if (beyondSlices > 0) {
    const limit = `A max of ${maxSlices} EndpointSlices can mirror an Endpoints object.`;
    const message = `${limit} ${beyondSlices} addresses with further ports were skipped`;
    found.push({ type: "Warn", reason: "TooManySubsetsToMirror", message });
  }
  return found;
}
