import type { core, discovery } from "@orchernetes/api";
import { parseIp } from "@orchernetes/apimachinery";
import type { CloudNode, CloudService } from "../../provider/cloud-provider.ts";
import { mayBeIngress } from "../../provider/ingress-addresses.ts";

type IpFamily = "IPv4" | "IPv6";

const familyOf = (address: string): IpFamily => (parseIp(address)?.length === 4 ? "IPv4" : "IPv6");

/** The addresses of a node by which it can be reached from outside: the external ones, else the internal ones. */
function reachableAt({ status }: CloudNode): readonly string[] {
  const of = (type: core.NodeAddress["type"]) =>
    (status?.addresses ?? []).filter((address) => address.type === type).map(({ address }) => address);
  const external = of("ExternalIP");
  return external.length > 0 ? external : of("InternalIP");
}

/** The names of the nodes that have endpoints of a service that serve: ready ones, else those that serve while they end. Pure. */
export function servingNodes(slices: readonly discovery.EndpointSlice[]): ReadonlySet<string> {
  const endpoints = slices.flatMap((slice) => slice.endpoints ?? []);
  const ready = endpoints.filter(({ conditions }) => conditions?.ready !== false);
  const serving = ready.length > 0 ? ready : endpoints.filter(({ conditions }) => conditions?.serving === true);
  return new Set(serving.flatMap(({ nodeName }) => (nodeName === undefined ? [] : [nodeName])));
}

/**
 * The addresses that a service gets: those of its families of the nodes that may serve, in the order of the nodes' names. A special
 * address that a node reports, such as a link-local one, is left out. Pure.
 *
 * @param withEndpoints names of the nodes that have serving endpoints; with `externalTrafficPolicy: Local` only these serve
 */
export function servingAddresses(
  { spec }: CloudService,
  nodes: readonly CloudNode[],
  withEndpoints: ReadonlySet<string>,
): readonly string[] {
  const families: readonly string[] = spec?.ipFamilies ?? ["IPv4"];
  const isLocal = spec?.externalTrafficPolicy === "Local";
  const serving = nodes.filter(({ metadata }) => !isLocal || withEndpoints.has(metadata.name));
  const byName = [...serving].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  const found = byName
    .flatMap(reachableAt)
    .filter((address) => families.includes(familyOf(address)) && mayBeIngress(address, nodes));
  return [...new Set(found)];
}

const portsOf = ({ spec }: CloudService): ReadonlySet<string> =>
  new Set((spec?.ports ?? []).map(({ port, protocol = "TCP" }) => `${port}/${protocol}`));

/** A service and the addresses that it has, or is about to get. */
export interface AddressedService {
  readonly service: CloudService;
  readonly addresses: readonly string[];
}

/** Whether the first service was created before the other one. */
function isOlder({ metadata: a }: CloudService, { metadata: b }: CloudService): boolean {
  const [first, second] = [a.creationTimestamp ?? "", b.creationTimestamp ?? ""];
  return first === second ? a.uid < b.uid : first < second;
}

/**
 * The first port of a service that another one has at one of the addresses, with the key of that service; undefined if there is none.
 * Of two that have it already, the older one keeps it. Pure.
 */
export function takenPort(
  { service, addresses }: AddressedService,
  others: readonly AddressedService[],
): { readonly port: string; readonly by: string } | undefined {
  const ports = portsOf(service);
  const own = new Set(others.find((other) => other.service.metadata.uid === service.metadata.uid)?.addresses);
  const hasThem = addresses.some((address) => own.has(address));
  for (const { service: other, addresses: theirs } of others) {
    if (other.metadata.uid === service.metadata.uid || (hasThem && isOlder(service, other))) continue;
    if (!theirs.some((address) => addresses.includes(address))) continue;
    const port = [...portsOf(other)].find((name) => ports.has(name));
    if (port !== undefined) return { port, by: `${other.metadata.namespace}/${other.metadata.name}` };
  }
  return undefined;
}
