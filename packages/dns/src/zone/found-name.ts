import { isIP } from "node:net";
import type { core, discovery } from "@orchernetes/api";
import { assertNever } from "@orchernetes/kernel";
import { addressOfLabel, addressText } from "../names/address-name.ts";
import { fitsMessages, normalName } from "../names/domain-name.ts";
import type { ClusterObjects } from "./cluster-objects.ts";
import { namedEndpoints } from "./endpoints.ts";
import type { RequestName } from "./request-name.ts";

/** An address with the name that it has of its own, and the numbers of those of its ports that were asked for. */
export interface Target {
  /** The part of the name before the cluster domain. */
  readonly host: string;
  readonly address: string;
  /** Each number once. They are only read when somebody needs them. */
  readonly ports: () => readonly number[];
}

/** What the cluster's objects say about a name. */
export type FoundName =
  | { readonly kind: "none" }
  /** The name exists, but has no records of any type. */
  | { readonly kind: "empty" }
  /**
   * The name of addresses, of their ports, or of both. There is at least one target; they are made while they are read,
   * because there may be very many.
   */
  | { readonly kind: "targets"; readonly targets: Iterable<Target>; readonly has: "addresses" | "ports" | "both" }
  | { readonly kind: "alias"; readonly target: string };

/**
 * Whether a pod's name is answered. `insecure`: if it has the form of an address (the setting of kubeadm's CoreDNS);
 * `verified`: if a pod of the namespace has the address; `disabled`: never.
 */
export type PodNames = "insecure" | "verified" | "disabled";

const none: FoundName = { kind: "none" };
const empty: FoundName = { kind: "empty" };

type ServiceName = Extract<RequestName, { readonly service: string }>;

/** Looks a name up that belongs to a namespace, a pod or a service. */
export function findName(
  name: ServiceName | Extract<RequestName, { readonly kind: "namespace" | "pod" }>,
  objects: ClusterObjects,
  podNames: PodNames,
): FoundName {
  if (name.kind === "namespace") return objects.hasNamespace(name.namespace) ? empty : none;
  if (name.kind === "pod") return findPod(name, objects, podNames);
  const service = objects.service(name.namespace, name.service);
  return service === undefined ? none : findService(name, service, objects);
}

function findPod(
  { namespace, label }: { readonly namespace: string; readonly label: string },
  objects: ClusterObjects,
  podNames: PodNames,
): FoundName {
  const bytes = podNames === "disabled" ? undefined : addressOfLabel(label);
  if (bytes === undefined || !objects.hasNamespace(namespace)) return none;
  const address = addressText(bytes);
  const exists =
    podNames === "insecure" || objects.podsAt(address).some(({ metadata }) => metadata.namespace === namespace);
  const target: Target = { host: `${label}.${namespace}.pod`, address, ports: () => [] };
  return exists ? { kind: "targets", targets: [target], has: "addresses" } : none;
}

function findService(name: ServiceName, service: core.Service, objects: ClusterObjects): FoundName {
  const { spec } = service;
  if (spec.type === "ExternalName") {
    const target = normalName(spec.externalName ?? "");
    // An address is no name, and no message can carry a label of more than 63 bytes, which validation lets through.
    return name.kind === "service" && isIP(target) === 0 && fitsMessages(target) ? { kind: "alias", target } : none;
  }
  const isHeadless = addressesOf(service)[0] === "None";
  const slices = () => objects.endpointSlices(name.namespace, name.service);
  const targets: Iterable<Target> =
    isHeadless || name.kind === "endpoint"
      ? { [Symbol.iterator]: () => endpointTargets(name, service, slices()) }
      : serviceTargets(name, service);
  switch (name.kind) {
    case "service":
      // A service that waits for its cluster IP exists; a headless one without endpoints has no name, as in CoreDNS.
      return isEmpty(targets) ? (isHeadless ? none : empty) : { kind: "targets", targets, has: "both" };
    case "endpoint":
      return isEmpty(targets) ? none : { kind: "targets", targets, has: "both" };
    case "protocol":
      return isEmpty(serving(targets)) ? none : empty;
    case "port":
      return isEmpty(serving(targets))
        ? none
        : { kind: "targets", targets: { [Symbol.iterator]: () => serving(targets) }, has: "ports" };
    default:
      return assertNever(name);
  }
}

function isEmpty(targets: Iterable<Target>): boolean {
  for (const _ of targets) return false;
  return true;
}

/** The targets that have ports. */
function* serving(targets: Iterable<Target>): Generator<Target> {
  for (const target of targets) if (target.ports().length > 0) yield target;
}

/** Cluster IPs of a service; `["None"]` if it is headless. */
function addressesOf({ spec: { clusterIP = "", clusterIPs = [] } }: core.Service): readonly string[] {
  if (clusterIPs.length > 0) return clusterIPs;
  return clusterIP === "" ? [] : [clusterIP];
}

function serviceTargets(name: ServiceName, service: core.Service): readonly Target[] {
  const ports = askedNumbers(name, service.spec.ports);
  const host = `${name.service}.${name.namespace}.svc`;
  return addressesOf(service).map((address) => ({ host, address, ports }));
}

function* endpointTargets(
  name: ServiceName,
  service: core.Service,
  slices: readonly discovery.EndpointSlice[],
): Generator<Target> {
  const suffix = `${name.service}.${name.namespace}.svc`;
  for (const slice of slices) {
    const ports = askedNumbers(name, slice.ports);
    for (const { label, address } of namedEndpoints(service, [slice])) {
      if (name.kind === "endpoint" && label !== name.label) continue;
      yield { host: `${label}.${suffix}`, address, ports };
    }
  }
}

type Port = Pick<discovery.EndpointPort, "name" | "protocol" | "port">;

/** Returns a function that finds the numbers of the ports that a name asks for, at its first call. */
function askedNumbers(name: ServiceName, ports: readonly Port[] | undefined): () => readonly number[] {
  let numbers: readonly number[] | undefined;
  return () => {
    if (numbers === undefined) {
      const asked = (ports ?? []).filter((port) => isAsked(name, port));
      numbers = [...new Set(asked.map(({ port }) => port).filter(isPortNumber))];
    }
    return numbers;
  };
}

function isAsked(asked: ServiceName, { name = "", protocol = "TCP" }: Port): boolean {
  switch (asked.kind) {
    case "service":
    case "endpoint":
      return true;
    case "protocol":
      return protocol.toLowerCase() === asked.protocol;
    case "port":
      return protocol.toLowerCase() === asked.protocol && name !== "" && name.toLowerCase() === asked.port;
    default:
      return assertNever(asked);
  }
}

/**
 * Whether an SRV record can name the port. A port without a number stands for all ports; other numbers are in slices because
 * the API does not check them.
 */
const isPortNumber = (port: number | undefined): port is number =>
  Number.isInteger(port) && Number(port) > 0 && Number(port) <= 0xffff;
