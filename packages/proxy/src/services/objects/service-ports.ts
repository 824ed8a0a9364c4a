import type { core } from "@orchernetes/api";
import { type AddressRange, addressesOf, type IpFamily, rangesOf } from "./addresses.ts";
import { addressesByPort, externalAddresses, type TakenAddresses } from "./external-addresses.ts";
import { limited, type Report, serviceLimits } from "./service-limits.ts";

/** Protocol of a service's port as the packet filter names it. */
export type Protocol = "tcp" | "udp" | "sctp";

/** One port of a service in one address family. */
export interface ServicePort {
  /** `namespace/service:port` */
  readonly id: string;
  /** Of the service. */
  readonly namespace: string;
  /** Empty for the only port of a service. */
  readonly name: string;
  readonly protocol: Protocol;
  readonly port: number;
  readonly nodePort: number | undefined;
  readonly clusterIP: string;
  readonly externalIPs: readonly string[];
  readonly loadBalancerIPs: readonly string[];
  /** Who may use the load balancer's addresses. Empty: everyone. */
  readonly sourceRanges: readonly AddressRange[];
  /** How long a client stays with its endpoint after its last connection; undefined without affinity. */
  readonly affinitySeconds: number | undefined;
  readonly isExternalLocal: boolean;
  readonly isInternalLocal: boolean;
  readonly isExternallyAccessible: boolean;
  readonly usesHints: boolean;
}

const serviceProxyNameLabel = "service.orchernetes.io/service-proxy-name";
const headlessLabel = "service.orchernetes.io/headless";
const hintsAnnotation = "service.orchernetes.io/topology-aware-hints";
const modeAnnotation = "service.orchernetes.io/topology-mode";
/** Default of the API, for objects that did not get it. */
const defaultAffinitySeconds = 10_800;
const maxAffinitySeconds = 86_400;

/** Whether services and endpoint slices with these labels are another proxy's, or nobody's. Their values do not matter. */
export function isIgnoredByLabels(labels: Readonly<Record<string, string>> | undefined): boolean {
  return labels !== undefined && (serviceProxyNameLabel in labels || headlessLabel in labels);
}

/**
 * The ports of a service in one family, none if it has no cluster address in it: headless services and those of type
 * ExternalName have none. Addresses that it may not have, and what is beyond the limits for one service, are left out and
 * reported.
 */
export function servicePorts(
  service: core.Service,
  family: IpFamily,
  taken: TakenAddresses,
  report: Report,
): readonly ServicePort[] {
  const { metadata, spec } = service;
  if (spec.type === "ExternalName" || isIgnoredByLabels(metadata.labels)) return [];
  const clusterIPs = spec.clusterIPs ?? [];
  const [clusterIP] = addressesOf(clusterIPs.length > 0 ? clusterIPs : [spec.clusterIP], family);
  if (clusterIP === undefined) return [];
  const external = externalAddresses(service, family, taken, report);
  const { externalIPs } = external;
  const balanced = addressesByPort(service, external.loadBalancerIPs, taken, report);
  const sourceRanges = rangesOf(spec.loadBalancerSourceRanges ?? [], family);
  const isExternal = isExternallyAccessible(spec);
  const shared = {
    namespace: metadata.namespace ?? "",
    clusterIP,
    externalIPs,
    sourceRanges: limited(sourceRanges, serviceLimits.sourceRanges, `${family} source ranges`, report),
    affinitySeconds: affinitySeconds(spec),
    isExternalLocal: isExternal && spec.externalTrafficPolicy === "Local",
    isInternalLocal: spec.internalTrafficPolicy === "Local",
    usesHints: usesHints(metadata.annotations),
  };
  return (spec.ports ?? []).flatMap((declared) => {
    const { name = "", protocol = "TCP", port, nodePort = 0 } = declared;
    if (!isPort(port)) return [];
    const loadBalancerIPs = balanced.get(declared) ?? [];
    const hasAddress = nodePort !== 0 || loadBalancerIPs.length > 0 || externalIPs.length > 0;
    const id = `${metadata.namespace ?? ""}/${metadata.name ?? ""}:${name}`;
    const own = { id, name, protocol: protocolOf(protocol), port, nodePort: isPort(nodePort) ? nodePort : undefined };
    return [{ ...shared, ...own, loadBalancerIPs, isExternallyAccessible: hasAddress }];
  });
}

/** The port that reports whether the service has local endpoints; undefined if the service has none. */
export function healthCheckNodePort({ metadata, spec }: core.Service): number | undefined {
  const isNeeded = spec.type === "LoadBalancer" && spec.externalTrafficPolicy === "Local";
  const port = spec.healthCheckNodePort ?? 0;
  return isNeeded && isPort(port) && !isIgnoredByLabels(metadata.labels) ? port : undefined;
}

/** Whether a number is a port of a transport protocol. */
export const isPort = (port: number): boolean => Number.isInteger(port) && port > 0 && port < 65_536;

/** The packet filter's name of a protocol. */
export const protocolOf = (protocol: "TCP" | "UDP" | "SCTP"): Protocol => protocol.toLowerCase() as Protocol;

const isExternallyAccessible = ({ type, externalIPs }: core.ServiceSpec): boolean =>
  type === "LoadBalancer" || type === "NodePort" || (externalIPs ?? []).length > 0;

function affinitySeconds({ sessionAffinity, sessionAffinityConfig }: core.ServiceSpec): number | undefined {
  if (sessionAffinity !== "ClientIP") return undefined;
  const seconds = sessionAffinityConfig?.clientIP?.timeoutSeconds ?? defaultAffinitySeconds;
  return Math.min(Math.max(1, Math.trunc(seconds)), maxAffinitySeconds);
}

/** The older annotation takes precedence. Any mode but an empty or disabled one means hints, also one of a vendor's controller. */
function usesHints(annotations: Readonly<Record<string, string>> = {}): boolean {
  const mode = annotations[hintsAnnotation] ?? annotations[modeAnnotation] ?? "";
  return mode !== "" && mode !== "disabled" && mode !== "Disabled";
}
