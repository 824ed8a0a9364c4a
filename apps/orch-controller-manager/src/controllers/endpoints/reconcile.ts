import type { core } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";
import { isPodReady } from "@orchernetes/component-helpers";
import { noPlan, type Plan } from "@orchernetes/controller";
import { semanticEqual } from "../../shared/semantic-equal.ts";
import {
  addressesOfFamily,
  hostnameFor,
  ipFamiliesOf,
  mayBeEndpoint,
  type ResolvedPort,
  resolvePorts,
} from "../service-pods/pod-endpoints.ts";
import { isHeadless, type Pod, type Service } from "../service-pods/service-selector.ts";
import { triggerTimeAnnotation } from "../service-pods/trigger-time.ts";

/**
 * Maximum number of addresses of a service; further ones are omitted and the endpoints are annotated. As in the
 * original.
 */
const maxAddresses = 1000;
const overCapacityAnnotation = "endpoints.orchernetes.io/over-capacity";
const headlessLabel = "service.orchernetes.io/headless";

type Endpoints = Stored<core.Endpoints>;

/** Everything that determines the Endpoints of a service. */
export interface EndpointsState {
  /** Undefined if the service is deleted. */
  readonly service: Service | undefined;
  readonly pods: readonly Pod[];
  readonly existing: Endpoints | undefined;
  readonly triggerTime: string | undefined;
}

/** A write of the controller. */
export type EndpointsAction =
  | { readonly type: "Create"; readonly endpoints: core.Endpoints }
  | { readonly type: "Update"; readonly endpoints: Endpoints }
  | { readonly type: "Delete" };

/** Creates, updates or deletes the Endpoints so that they have the addresses of the service's pods. Pure. */
export function reconcile({ service, pods, existing, triggerTime }: EndpointsState): Plan<EndpointsAction> {
  if (service === undefined) return existing === undefined ? noPlan : { actions: [{ type: "Delete" }] };
  const { subsets, truncated } = truncate(subsetsOf(service, pods));
  const { [headlessLabel]: _, ...serviceLabels } = service.metadata.labels ?? {};
  const labels = isHeadless(service) ? { ...serviceLabels, [headlessLabel]: "" } : serviceLabels;
  const kept = existing?.metadata.annotations ?? {};
  const wasTruncated = kept[overCapacityAnnotation] === "truncated";
  if (
    existing !== undefined &&
    semanticEqual(withoutVersions(subsets), withoutVersions(existing.subsets)) &&
    semanticEqual(labels, existing.metadata.labels) &&
    truncated === wasTruncated
  ) {
    return noPlan;
  }
  const { [triggerTimeAnnotation]: __, [overCapacityAnnotation]: ___, ...others } = kept;
  const annotations = {
    ...others,
    ...(triggerTime === undefined ? {} : { [triggerTimeAnnotation]: triggerTime }),
    ...(truncated ? { [overCapacityAnnotation]: "truncated" } : {}),
  };
  if (existing === undefined) {
    const { name, namespace } = service.metadata;
    const metadata = { name, ...(namespace === undefined ? {} : { namespace }), labels, annotations };
    return { actions: [{ type: "Create", endpoints: { metadata, subsets } }] };
  }
  return {
    actions: [
      { type: "Update", endpoints: { ...existing, metadata: { ...existing.metadata, labels, annotations }, subsets } },
    ],
  };
}

interface Address {
  readonly address: core.EndpointAddress;
  readonly ready: boolean;
}

/** Groups addresses into subsets: all addresses of a subset serve all of its ports. */
function subsetsOf(service: Service, pods: readonly Pod[]): readonly core.EndpointSubset[] {
  const publish = service.spec.publishNotReadyAddresses === true;
  const [family = "IPv4"] = ipFamiliesOf(service, pods);
  const byPort = new Map<
    string,
    { readonly port: ResolvedPort | undefined; readonly addresses: Map<string, Address> }
  >();
  const serve = (port: ResolvedPort | undefined, key: string, address: Address): void => {
    const portKey = port === undefined ? "" : JSON.stringify([port.name, port.port, port.protocol, port.appProtocol]);
    let group = byPort.get(portKey);
    if (group === undefined) {
      group = { port, addresses: new Map() };
      byPort.set(portKey, group);
    }
    group.addresses.set(key, address);
  };
  for (const pod of pods) {
    if (!mayBeEndpoint(pod, publish)) continue;
    const [ip] = addressesOfFamily(pod, family);
    if (ip === undefined) continue;
    const ready = publish || isPodReady(pod);
    if (!ready && !mayBecomeReady(pod)) continue;
    const address = { address: addressOf(pod, ip, service), ready };
    const key = `${ip} ${pod.metadata.uid}`;
    if ((service.spec.ports ?? []).length === 0) {
      if (isHeadless(service)) serve(undefined, key, address);
      continue;
    }
    for (const port of resolvePorts(service, pod)) serve(port, key, address);
  }

  // Ports that are served by the same addresses share a subset.
  const groups = new Map<string, { readonly addresses: Map<string, Address>; readonly ports: core.EndpointPort[] }>();
  for (const { port, addresses } of byPort.values()) {
    const key = [...addresses.keys()].sort().join();
    const group = groups.get(key) ?? { addresses, ports: [] };
    groups.set(key, group);
    if (port === undefined) continue;
    const { name, ...rest } = port;
    group.ports.push(name === "" ? rest : { name, ...rest });
  }
  return [...groups.values()]
    .map(({ addresses, ports }): core.EndpointSubset => {
      const sorted = [...addresses.values()].sort((a, b) => compare(addressKey(a.address), addressKey(b.address)));
      const ready = sorted.filter((entry) => entry.ready).map(({ address }) => address);
      const notReady = sorted.filter((entry) => !entry.ready).map(({ address }) => address);
      return {
        ...(ready.length === 0 ? {} : { addresses: ready }),
        ...(notReady.length === 0 ? {} : { notReadyAddresses: notReady }),
        ...(ports.length === 0 ? {} : { ports: ports.sort((a, b) => compare(portKey(a), portKey(b))) }),
      };
    })
    .sort((a, b) => compare(JSON.stringify(a.ports ?? []), JSON.stringify(b.ports ?? [])));
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const addressKey = ({ ip, targetRef }: core.EndpointAddress): string => `${ip} ${targetRef?.uid ?? ""}`;
const portKey = ({ name, port, protocol }: core.EndpointPort): string =>
  `${name ?? ""} ${String(port).padStart(5, "0")} ${protocol}`;

/** Whether a pod that is not ready may become ready: a pod that has ended and is not restarted cannot. */
function mayBecomeReady({ spec, status }: Pod): boolean {
  switch (spec.restartPolicy) {
    case "Never":
      return status.phase !== "Failed" && status.phase !== "Succeeded";
    case "OnFailure":
      return status.phase !== "Succeeded";
    default:
      return true;
  }
}

/** The address of a pod, with a reference to the pod that consumers such as proxies use for topology. */
function addressOf(pod: Pod, ip: string, service: Service): core.EndpointAddress {
  const { namespace, name, uid, resourceVersion } = pod.metadata;
  const hostname = hostnameFor(pod, service);
  return {
    ip,
    ...(hostname === undefined ? {} : { hostname }),
    ...(pod.spec.nodeName ? { nodeName: pod.spec.nodeName } : {}),
    targetRef: { kind: "Pod", ...(namespace === undefined ? {} : { namespace }), name, uid, resourceVersion },
  };
}

/** Removes resource versions of pods, which change with every heartbeat; they alone must not cause a write. */
function withoutVersions(subsets: readonly core.EndpointSubset[] | undefined): unknown {
  const strip = (addresses: readonly core.EndpointAddress[] | undefined): unknown =>
    addresses?.map((address) => ({ ...address, targetRef: { ...address.targetRef, resourceVersion: undefined } }));
  return subsets?.map((subset) => ({
    ...subset,
    addresses: strip(subset.addresses),
    notReadyAddresses: strip(subset.notReadyAddresses),
  }));
}

/**
 * Limits the addresses to {@link maxAddresses}: ready ones first, then the others if there is room. Excess addresses
 * are removed from all subsets in proportion to their sizes.
 */
function truncate(subsets: readonly core.EndpointSubset[]): {
  readonly subsets: readonly core.EndpointSubset[];
  readonly truncated: boolean;
} {
  const ready = subsets.map(({ addresses = [] }) => addresses);
  const notReady = subsets.map(({ notReadyAddresses = [] }) => notReadyAddresses);
  const readyCount = ready.flat().length;
  if (readyCount + notReady.flat().length <= maxAddresses) return { subsets, truncated: false };
  const keptReady = cutInProportion(ready, maxAddresses);
  const keptNotReady = cutInProportion(notReady, Math.max(0, maxAddresses - readyCount));
  const cut = subsets.map(({ ports }, i): core.EndpointSubset => {
    const addresses = keptReady[i] ?? [];
    const notReadyAddresses = keptNotReady[i] ?? [];
    return {
      ...(addresses.length === 0 ? {} : { addresses }),
      ...(notReadyAddresses.length === 0 ? {} : { notReadyAddresses }),
      ...(ports === undefined ? {} : { ports }),
    };
  });
  const kept = cut.filter(
    ({ addresses, notReadyAddresses }) => addresses !== undefined || notReadyAddresses !== undefined,
  );
  return { subsets: kept, truncated: true };
}

/**
 * Truncates lists in proportion to their lengths. Shares are rounded up, so the last lists may get less than their
 * share.
 */
function cutInProportion<T>(lists: readonly (readonly T[])[], limit: number): readonly (readonly T[])[] {
  const total = lists.reduce((sum, list) => sum + list.length, 0);
  if (total <= limit) return lists;
  let left = limit;
  return lists.map((list) => {
    const kept = list.slice(0, Math.min(left, Math.ceil((list.length / total) * limit)));
    left -= kept.length;
    return kept;
  });
}
