import type { core, discovery } from "@orchernetes/api";
import { controllerRef, type Stored } from "@orchernetes/apimachinery";
import { isPodReady } from "@orchernetes/component-helpers";
import type { Plan } from "@orchernetes/controller";
import { services } from "../../shared/refs.ts";
import { semanticEqual } from "../../shared/semantic-equal.ts";
import { type EndpointSlice, managedByLabel, serviceNameLabel } from "../service-pods/managed-slices.ts";
import {
  addressesOfFamily,
  hostnameFor,
  type IpFamily,
  ipFamiliesOf,
  mayBeEndpoint,
  resolvePorts,
} from "../service-pods/pod-endpoints.ts";
import { isHeadless, type Pod, type Service } from "../service-pods/service-selector.ts";
import { triggerTimeAnnotation } from "../service-pods/trigger-time.ts";
import { hintsEnabled, withHints, withoutAnyHints, type ZoneShares, zoneLabel } from "./topology-hints.ts";

/** The value of {@link managedByLabel} for slices of this controller. */
export const controllerName = "endpointslice-controller.o8s.io";
const headlessLabel = "service.orchernetes.io/headless";

type Endpoint = discovery.Endpoint;

/** Everything that determines the slices of a service. */
export interface EndpointSliceState {
  readonly service: Service;
  readonly pods: readonly Pod[];
  /** The service's slices that this controller manages. */
  readonly slices: readonly EndpointSlice[];
  /** Finds a node in the cache. */
  readonly nodeOf: (nodeName: string) => Stored<core.Node> | undefined;
  /** Share of each zone; only for a service with topology hints. */
  readonly zoneShares: ZoneShares;
  /** Whether this process has told that the service has topology hints. */
  readonly isHinted: boolean;
  readonly triggerTime: string | undefined;
  readonly maxEndpointsPerSlice: number;
}

/** A write of the controller. */
type EndpointSliceWrite =
  | { readonly type: "Create"; readonly slice: discovery.EndpointSlice }
  | { readonly type: "Update"; readonly slice: EndpointSlice }
  | { readonly type: "Delete"; readonly slice: EndpointSlice };

/** A step of the controller: a write, or an event about topology hints. */
export type EndpointSliceAction =
  | EndpointSliceWrite
  | { readonly type: "TellHints"; readonly areGiven: boolean; readonly message: string };

/** The endpoints that serve the same ports. Each group has its own slices. */
interface Wanted {
  readonly family: IpFamily;
  readonly ports: readonly discovery.EndpointPort[];
  readonly endpoints: Map<string, Endpoint>;
}

/**
 * Computes the slices for the service's pods with as few writes as possible, because every node watches every slice:
 * existing slices are updated in preference to new ones. Pure.
 */
export function reconcile(state: EndpointSliceState): Plan<EndpointSliceAction> {
  const { service, slices } = state;
  if (service.metadata.deletionTimestamp !== undefined || service.spec.type === "ExternalName") {
    return { actions: slices.map((slice) => ({ type: "Delete", slice })) };
  }
  const families = ipFamiliesOf(service, state.pods);
  const homeless = state.pods.some((pod) => mayBeEndpoint(pod, true) && !isPlaced(state, pod));
  const wanted = families.flatMap((family) => wantedOf(state, family));
  const actions: EndpointSliceWrite[] = [];
  const used = new Set<EndpointSlice>();
  for (const group of wanted) {
    const candidates = slices.filter(
      ({ addressType, ports }) => addressType === group.family && semanticEqual(ports, group.ports),
    );
    for (const slice of candidates) used.add(slice);
    actions.push(...fill(state, group, candidates));
  }
  for (const slice of slices) if (!used.has(slice)) actions.push({ type: "Delete", slice });
  // A missing node may be newer than the cache, so pods without a node are checked again.
  const told: EndpointSliceAction[] = [];
  let writes = reuse(actions);
  let { isHinted } = state;
  for (const family of families) {
    const { event, ...hinted } = hint({ ...state, isHinted }, writes, family);
    ({ writes } = hinted);
    if (event === undefined) continue;
    isHinted = event.areGiven;
    told.push({ type: "TellHints", ...event });
  }
  return { actions: [...writes, ...told], ...(homeless ? { requeueAfterMs: homelessRecheckMs } : {}) };
}

/** Delay before looking again for the missing nodes of skipped pods, in milliseconds. */
const homelessRecheckMs = 5000;

/**
 * Whether the pod's node exists. Pods of deleted nodes are not endpoints, unless the service publishes not-ready
 * addresses.
 */
function isPlaced({ service, nodeOf }: EndpointSliceState, { spec }: Pod): boolean {
  return service.spec.publishNotReadyAddresses === true || !spec.nodeName || nodeOf(spec.nodeName) !== undefined;
}

/** What users are told about the topology hints of a service. */
interface HintEvent {
  readonly areGiven: boolean;
  readonly message: string;
}

/** What is to be told: that there cannot be hints each time, a change of the service or of what is possible once. */
function hintEvent(
  { service, isHinted }: EndpointSliceState,
  problem: string | undefined,
  family: IpFamily,
): HintEvent | undefined {
  const event = (areGiven: boolean, text: string) => ({ areGiven, message: `${text}, addressType: ${family}` });
  if (!hintsEnabled(service)) return isHinted ? event(false, "Topology Aware Hints has been disabled") : undefined;
  if (problem !== undefined) return event(false, problem);
  return isHinted ? undefined : event(true, "Topology Aware Hints has been enabled");
}

/** Sets the topology hints of the endpoints of one family; slices whose hints change are written. */
function hint(
  state: EndpointSliceState,
  actions: readonly EndpointSliceWrite[],
  family: IpFamily,
): { readonly writes: readonly EndpointSliceWrite[]; readonly event: HintEvent | undefined } {
  const touched = new Set(actions.map(({ slice }) => slice.metadata.uid));
  const written = actions.filter((action) => action.type !== "Delete" && action.slice.addressType === family);
  const others = actions.filter((action) => !written.includes(action));
  const unchanged = state.slices.filter(
    ({ addressType, metadata }) => addressType === family && !touched.has(metadata.uid),
  );
  const all = [
    ...written.map(({ slice }) => ({ endpoints: slice.endpoints, written: true })),
    ...unchanged.map((slice) => ({ endpoints: slice.endpoints, written: false })),
  ];
  const { endpoints, problem } = hintsEnabled(state.service)
    ? withHints(all, state.zoneShares)
    : { endpoints: withoutAnyHints(all), problem: undefined };
  const result: EndpointSliceWrite[] = written.map(
    (action, i) => ({ ...action, slice: { ...action.slice, endpoints: endpoints[i] ?? [] } }) as EndpointSliceWrite,
  );
  for (const [i, slice] of unchanged.entries()) {
    const now = endpoints[written.length + i] ?? [];
    if (!semanticEqual(now, slice.endpoints)) result.push({ type: "Update", slice: { ...slice, endpoints: now } });
  }
  return { writes: [...others, ...result], event: hintEvent(state, problem, family) };
}

/** Groups endpoints by the ports that they serve. Without endpoints, there is one empty group. */
function wantedOf(state: EndpointSliceState, family: IpFamily): readonly Wanted[] {
  const { service, pods } = state;
  const groups = new Map<string, Wanted>();
  for (const pod of pods) {
    if (!mayBeEndpoint(pod, true) || !isPlaced(state, pod)) continue;
    const addresses = addressesOfFamily(pod, family).slice(0, 1);
    if (addresses.length === 0) continue;
    const ports = resolvePorts(service, pod).map((port): discovery.EndpointPort => port);
    const key = JSON.stringify(ports);
    const group = groups.get(key) ?? { family, ports, endpoints: new Map() };
    groups.set(key, group);
    group.endpoints.set(pod.metadata.uid, endpointOf(state, pod, addresses));
  }
  return groups.size > 0 ? [...groups.values()] : [{ family, ports: [], endpoints: new Map() }];
}

/** The endpoint of a pod. A terminating pod is not ready, but may still be serving (KEP-1672). */
function endpointOf({ service, nodeOf }: EndpointSliceState, pod: Pod, addresses: readonly string[]): Endpoint {
  const serving = isPodReady(pod);
  const terminating = pod.metadata.deletionTimestamp !== undefined;
  const ready = service.spec.publishNotReadyAddresses === true || (serving && !terminating);
  const { namespace, name, uid } = pod.metadata;
  const { nodeName } = pod.spec;
  const zone = nodeName ? zoneOfNode(nodeOf(nodeName)) : undefined;
  const hostname = hostnameFor(pod, service);
  return {
    addresses,
    conditions: { ready, serving, terminating },
    ...(hostname === undefined ? {} : { hostname }),
    targetRef: { kind: "Pod", ...(namespace === undefined ? {} : { namespace }), name, uid },
    ...(nodeName ? { nodeName } : {}),
    ...(zone === undefined ? {} : { zone }),
  };
}

/**
 * Distributes the endpoints of a group over its slices: existing endpoints stay, new ones go into slices that are
 * written anyway, then into a slice with enough room, then into new slices.
 */
function fill(state: EndpointSliceState, group: Wanted, slices: readonly EndpointSlice[]): EndpointSliceWrite[] {
  const { maxEndpointsPerSlice: max } = state;
  const left = new Map(group.endpoints);
  const drafts = slices.map((slice) => {
    const endpoints: Endpoint[] = [];
    let changed = false;
    for (const endpoint of slice.endpoints ?? []) {
      const uid = endpoint.targetRef?.uid ?? "";
      const wanted = left.get(uid);
      if (wanted === undefined || endpoints.length >= max) {
        changed = true;
        continue;
      }
      left.delete(uid);
      // Hints are added at the end, so they are not compared here.
      if (semanticEqual({ ...endpoint, hints: undefined }, wanted)) endpoints.push(endpoint);
      else {
        changed = true;
        endpoints.push(wanted);
      }
    }
    return { slice, endpoints, changed };
  });
  const rest = [...left.values()];
  const putInto = (draft: { readonly endpoints: Endpoint[]; changed: boolean }): void => {
    const room = max - draft.endpoints.length;
    if (room <= 0 || rest.length === 0) return;
    draft.endpoints.push(...rest.splice(0, room));
    draft.changed = true;
  };
  for (const draft of drafts) if (draft.changed) putInto(draft);
  // One more update is better than one more slice. The fullest slice that has room for the rest is chosen.
  const roomy = drafts
    .filter(({ changed, endpoints }) => !changed && rest.length > 0 && max - endpoints.length >= rest.length)
    .sort((a, b) => b.endpoints.length - a.endpoints.length);
  const [best] = roomy;
  if (best !== undefined) putInto(best);

  const actions: EndpointSliceWrite[] = [];
  let alive = 0;
  const emptied: EndpointSlice[] = [];
  for (const { slice, endpoints, changed } of drafts) {
    if (endpoints.length === 0) {
      emptied.push(slice);
      continue;
    }
    alive += 1;
    const metadata = metadataOf(state, slice);
    const same = semanticEqual(metadata.labels, slice.metadata.labels) && ownedBy(slice, state.service);
    if (changed || !same) {
      actions.push({ type: "Update", slice: { ...slice, metadata, endpoints } });
    }
  }
  while (rest.length > 0) {
    alive += 1;
    actions.push({ type: "Create", slice: newSlice(state, group, rest.splice(0, max)) });
  }
  // A service without endpoints keeps one empty slice, which shows that the service has been processed.
  if (alive === 0 && group.ports.length === 0) {
    const [keep] = emptied;
    if (keep === undefined) actions.push({ type: "Create", slice: newSlice(state, group, []) });
    else {
      emptied.shift();
      const metadata = metadataOf(state, keep);
      const same = semanticEqual(metadata.labels, keep.metadata.labels) && (keep.endpoints ?? []).length === 0;
      if (!same) actions.push({ type: "Update", slice: { ...keep, metadata, endpoints: [] } });
    }
  }
  for (const slice of emptied) actions.push({ type: "Delete", slice });
  return actions;
}

/** Combines a deletion and a creation of the same address type into one update. */
function reuse(actions: readonly EndpointSliceWrite[]): readonly EndpointSliceWrite[] {
  const doomed = actions.flatMap((action) => (action.type === "Delete" ? [action.slice] : []));
  const result: EndpointSliceWrite[] = [];
  for (const action of actions) {
    if (action.type === "Delete") continue;
    const at =
      action.type === "Create" ? doomed.findIndex(({ addressType }) => addressType === action.slice.addressType) : -1;
    const [old] = at === -1 ? [] : doomed.splice(at, 1);
    if (old === undefined) {
      result.push(action);
      continue;
    }
    const { labels, annotations, ownerReferences } = action.slice.metadata;
    const metadata = { ...old.metadata, labels, annotations, ownerReferences };
    result.push({
      type: "Update",
      slice: { ...old, metadata, endpoints: action.slice.endpoints, ports: action.slice.ports },
    });
  }
  return [...result, ...doomed.map((slice): EndpointSliceWrite => ({ type: "Delete", slice }))];
}

const ownedBy = (slice: EndpointSlice, service: Service): boolean =>
  slice.metadata.ownerReferences?.some(({ uid }) => uid === service.metadata.uid) === true;

/** Labels of a slice: those of the service, and those by which the slice is found. */
function labelsOf(service: Service): Readonly<Record<string, string>> {
  const { [headlessLabel]: _, ...labels } = service.metadata.labels ?? {};
  return {
    ...labels,
    ...(isHeadless(service) ? { [headlessLabel]: "" } : {}),
    [serviceNameLabel]: service.metadata.name,
    [managedByLabel]: controllerName,
  };
}

/** The metadata of an updated slice. The trigger time of an earlier change is replaced or removed. */
function metadataOf({ service, triggerTime }: EndpointSliceState, slice: EndpointSlice): EndpointSlice["metadata"] {
  const { [triggerTimeAnnotation]: _, ...annotations } = slice.metadata.annotations ?? {};
  return {
    ...slice.metadata,
    labels: labelsOf(service),
    annotations: triggerTime === undefined ? annotations : { ...annotations, [triggerTimeAnnotation]: triggerTime },
    ownerReferences: ownedBy(slice, service) ? slice.metadata.ownerReferences : [controllerRef(services, service)],
  };
}

/** A new slice. The server completes its name, because a service can have many slices. */
function newSlice(
  { service, triggerTime }: EndpointSliceState,
  { family, ports }: Wanted,
  endpoints: readonly Endpoint[],
): discovery.EndpointSlice {
  const { name, namespace } = service.metadata;
  return {
    metadata: {
      generateName: `${name}-`,
      ...(namespace === undefined ? {} : { namespace }),
      labels: labelsOf(service),
      ...(triggerTime === undefined ? {} : { annotations: { [triggerTimeAnnotation]: triggerTime } }),
      ownerReferences: [controllerRef(services, service)],
    },
    addressType: family,
    endpoints,
    ports,
  };
}

/** Zone of a node, as its label says. */
function zoneOfNode(node: core.Node | undefined): string | undefined {
  return node?.metadata.labels?.[zoneLabel] || undefined;
}
