import { isIP } from "node:net";
import type { core, discovery } from "@orchernetes/api";
import { assertNever } from "@orchernetes/kernel";
import { addressOfLabel, addressText } from "../names/address-name.ts";
import { fitsMessages, normalName } from "../names/domain-name.ts";
import type { ClusterObjects } from "./cluster-objects.ts";
import { namedEndpoints } from "./endpoints.ts";
import type { RequestName } from "./request-name.ts";

/** An address with the name that it has of its own, and the ports that are served there. */
export interface Target {
  /** The part of the name before the cluster domain. */
  readonly host: string;
  readonly address: string;
  readonly ports: readonly { readonly name: string; readonly protocol: string; readonly port: number }[];
}

/** What the cluster's objects say about a name. */
export type FoundName =
  | { readonly kind: "none" }
  /** The name exists, but has no records of any type. */
  | { readonly kind: "empty" }
  /** The name of addresses, of their ports, or of both. */
  | { readonly kind: "targets"; readonly targets: readonly Target[]; readonly has: "addresses" | "ports" | "both" }
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
  const target: Target = { host: `${label}.${namespace}.pod`, address, ports: [] };
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
  const targets =
    isHeadless || name.kind === "endpoint"
      ? endpointTargets(name, service, objects.endpointSlices(name.namespace, name.service))
      : serviceTargets(name, service);
  switch (name.kind) {
    case "service":
      // A service that waits for its cluster IP exists; a headless one without endpoints has no name, as in CoreDNS.
      return targets.length === 0 ? (isHeadless ? none : empty) : { kind: "targets", targets, has: "both" };
    case "endpoint": {
      const own = targets.filter(({ host }) => host.startsWith(`${name.label}.`));
      return own.length === 0 ? none : { kind: "targets", targets: own, has: "both" };
    }
    case "protocol":
      return targets.some(({ ports }) => ports.some((port) => isProtocol(port, name))) ? empty : none;
    case "port": {
      const isAsked = (port: Target["ports"][number]) =>
        isProtocol(port, name) && port.name.toLowerCase() === name.port && port.name !== "";
      const serving = targets
        .map((target) => ({ ...target, ports: target.ports.filter(isAsked) }))
        .filter(({ ports }) => ports.length > 0);
      return serving.length === 0 ? none : { kind: "targets", targets: serving, has: "ports" };
    }
    default:
      return assertNever(name);
  }
}

/**
 * Whether an SRV record can name the port. A port without a number stands for all ports; other numbers are in slices because
 * the API does not check them.
 */
const isPortNumber = (port: number | undefined): port is number =>
  Number.isInteger(port) && Number(port) > 0 && Number(port) <= 0xffff;

const isProtocol = (port: { readonly protocol: string }, name: { readonly protocol: string }): boolean =>
  port.protocol.toLowerCase() === name.protocol;

/** Cluster IPs of a service; `["None"]` if it is headless. */
function addressesOf({ spec: { clusterIP = "", clusterIPs = [] } }: core.Service): readonly string[] {
  if (clusterIPs.length > 0) return clusterIPs;
  return clusterIP === "" ? [] : [clusterIP];
}

function serviceTargets({ namespace, service: name }: ServiceName, service: core.Service): readonly Target[] {
  const ports = (service.spec.ports ?? []).map((port) => ({
    name: port.name ?? "",
    protocol: port.protocol ?? "TCP",
    port: port.port,
  }));
  return addressesOf(service).map((address) => ({ host: `${name}.${namespace}.svc`, address, ports }));
}

function endpointTargets(
  { namespace, service: name }: ServiceName,
  service: core.Service,
  slices: readonly discovery.EndpointSlice[],
): readonly Target[] {
  const targets: Target[] = [];
  for (const { label, address, ports } of namedEndpoints(service, slices)) {
    const numbered = ports.flatMap(({ name = "", protocol = "TCP", port }) =>
      isPortNumber(port) ? [{ name, protocol, port }] : [],
    );
    targets.push({ host: `${label}.${name}.${namespace}.svc`, address, ports: numbered });
  }
  return targets;
}
