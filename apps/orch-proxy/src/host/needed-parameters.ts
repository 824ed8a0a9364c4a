import type { OrchProxyConfiguration } from "@orchernetes/config";
import { inRanges } from "./address-ranges.ts";
import type { NeededParameter } from "./kernel-parameters.ts";

/** Lets packets of other hosts in to loopback addresses, too: only with the guard of `localnetGuard`. */
export const ROUTE_LOCALNET = "net/ipv4/conf/all/route_localnet";

const bridged = "packets between pods of one bridge pass the packet filter only with it";
const forwarded = "packets of pods to other hosts and pods are forwarded only with it";

/** What the packet filter needs of the kernel to route traffic of services, apart from IPv6. */
export function routingParameters(settings: OrchProxyConfiguration): readonly NeededParameter[] {
  return [
    { name: "net/ipv4/ip_forward", value: "1", why: forwarded },
    { name: "net/bridge/bridge-nf-call-iptables", value: "1", why: bridged },
    ...(routesLoopback(settings)
      ? [
          {
            name: ROUTE_LOCALNET,
            value: "1",
            why: "node ports on loopback addresses (iptables.localhostNodePorts) and loopbackPorts are served only with it",
          },
        ]
      : []),
  ];
}

/**
 * Whether traffic is routed to loopback addresses: to `loopbackPorts`, or to node ports, unless `nodePortAddresses` leaves out all loopback
 * addresses.
 */
export function routesLoopback({
  iptables,
  loopbackPorts,
  nodePortAddresses,
}: Pick<OrchProxyConfiguration, "iptables" | "loopbackPorts" | "nodePortAddresses">): boolean {
  if (loopbackPorts.length > 0) return true;
  return iptables.localhostNodePorts && (nodePortAddresses.length === 0 || nodePortAddresses.some(hasLoopback));
}

/** Whether a range has an IPv4 loopback address. */
function hasLoopback(range: string): boolean {
  const [address = ""] = range.split("/");
  return address.startsWith("127.") || inRanges([range])("127.0.0.1");
}

/** What traffic of services needs of the kernel in IPv6. @param interfaces names of those that may learn the host's routes from routers */
export function ipv6Parameters(interfaces: readonly string[]): readonly NeededParameter[] {
  return [
    // A host that forwards ignores routers otherwise, and would lose the routes that they have told it.
    ...interfaces.map((name) => ({
      name: `net/ipv6/conf/${name}/accept_ra`,
      value: "2",
      why: "with net.ipv6.conf.all.forwarding the routes of routers are kept only with it",
    })),
    { name: "net/ipv6/conf/all/forwarding", value: "1", why: forwarded },
    { name: "net/bridge/bridge-nf-call-ip6tables", value: "1", why: bridged },
  ];
}

/** The limit of connections that the settings ask for; undefined: the kernel's. */
export function connectionLimit({ conntrack }: OrchProxyConfiguration, processors: number): number | undefined {
  const { maxPerCore, min } = conntrack;
  return maxPerCore === 0 ? undefined : Math.max(min, maxPerCore * processors);
}

/** The limits and timeouts of the kernel's table of connections. */
export function conntrackParameters(settings: OrchProxyConfiguration, processors: number): readonly NeededParameter[] {
  const { tcpEstablishedTimeout, tcpCloseWaitTimeout } = settings.conntrack;
  const seconds = (ms: number): string => String(Math.floor(ms / 1000));
  const max = connectionLimit(settings, processors) ?? 0;
  const parameter = (name: string, value: string, field: string): NeededParameter => ({
    name: `net/netfilter/${name}`,
    value,
    why: `field conntrack.${field}`,
  });
  return [
    ...(max > 0 ? [parameter("nf_conntrack_max", String(max), "maxPerCore and conntrack.min")] : []),
    ...(tcpEstablishedTimeout > 0
      ? [parameter("nf_conntrack_tcp_timeout_established", seconds(tcpEstablishedTimeout), "tcpEstablishedTimeout")]
      : []),
    ...(tcpCloseWaitTimeout > 0
      ? [parameter("nf_conntrack_tcp_timeout_close_wait", seconds(tcpCloseWaitTimeout), "tcpCloseWaitTimeout")]
      : []),
  ];
}
