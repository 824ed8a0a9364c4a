import type { core } from "@orchernetes/api";
import { isPodTerminal } from "@orchernetes/component-helpers";
import type { Pod, Service } from "./service-selector.ts";

/** The address families of services and endpoints. */
export type IpFamily = "IPv4" | "IPv6";

const familyOf = (ip: string): IpFamily => (ip.includes(":") ? "IPv6" : "IPv4");

/** A port of a service, resolved for one pod. */
export interface ResolvedPort {
  readonly name: string;
  readonly port: number;
  readonly protocol: "TCP" | "UDP" | "SCTP";
  readonly appProtocol?: string;
}

/** Whether a pod may be an endpoint: it has an address and has not terminated. */
export function mayBeEndpoint(pod: Pod, includeTerminating: boolean): boolean {
  if (isPodTerminal(pod) || addressesOf(pod).length === 0) return false;
  return includeTerminating || pod.metadata.deletionTimestamp === undefined;
}

/** All addresses of a pod, the primary one first. */
export function addressesOf({ status }: core.Pod): readonly string[] {
  const listed = (status.podIPs ?? []).map(({ ip }) => ip).filter((ip): ip is string => ip !== undefined && ip !== "");
  return listed.length > 0 ? listed : status.podIP ? [status.podIP] : [];
}

/** The pod's addresses of one family. */
export function addressesOfFamily(pod: core.Pod, family: IpFamily): readonly string[] {
  return addressesOf(pod).filter((ip) => familyOf(ip) === family);
}

/** The host name of the pod in DNS, if the service is the pod's subdomain. */
export function hostnameFor(pod: Pod, service: Service): string | undefined {
  const { hostname, subdomain } = pod.spec;
  return hostname && subdomain === service.metadata.name ? hostname : undefined;
}

/** Resolves the ports of a service for a pod. Named target ports that the pod does not have are omitted. */
export function resolvePorts(service: Service, pod: Pod): readonly ResolvedPort[] {
  const resolved: ResolvedPort[] = [];
  for (const { name = "", port, targetPort, protocol = "TCP", appProtocol } of service.spec.ports ?? []) {
    const target = resolveTarget(pod, targetPort || port, protocol);
    if (target === undefined) continue;
    resolved.push({ name, port: target, protocol, ...(appProtocol === undefined ? {} : { appProtocol }) });
  }
  return resolved;
}

function resolveTarget(pod: Pod, target: number | string, protocol: string): number | undefined {
  if (typeof target === "number") return target;
  for (const container of pod.spec.containers) {
    for (const port of container.ports ?? []) {
      if (port.name === target && (port.protocol ?? "TCP") === protocol) return port.containerPort;
    }
  }
  return undefined;
}

/** The address families of a service's endpoints, the primary one first. */
export function ipFamiliesOf(service: Service, pods: readonly Pod[]): readonly IpFamily[] {
  const { ipFamilies, clusterIP } = service.spec;
  if (ipFamilies !== undefined && ipFamilies.length > 0) return ipFamilies;
  if (clusterIP && clusterIP !== "None") return [familyOf(clusterIP)];
  const [ip] = pods.flatMap(addressesOf);
  return [ip === undefined ? "IPv4" : familyOf(ip)];
}
