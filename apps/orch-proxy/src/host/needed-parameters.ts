import { BlockList } from "node:net";
import type { OrchProxyConfiguration } from "@orchernetes/config";
import type { NeededParameter } from "./kernel-parameters.ts";

/** Lets packets of other hosts in to loopback addresses, too: only with the guard of `localnetGuard`. */
export const ROUTE_LOCALNET = "net/ipv4/conf/all/route_localnet";

/** What the packet filter needs of the kernel to route traffic of services. IPv6 is left alone unless pods have such addresses. */
export function routingParameters(settings: OrchProxyConfiguration): readonly NeededParameter[] {
  const bridged = "packets between pods of one bridge pass the packet filter only with it";
  const forwarded = "packets of pods to other hosts and pods are forwarded only with it";
  return [
    { name: "net/ipv4/ip_forward", value: "1", why: forwarded },
    { name: "net/bridge/bridge-nf-call-iptables", value: "1", why: bridged },
    ...(settings.clusterCIDR.includes(":")
      ? [
          { name: "net/ipv6/conf/all/forwarding", value: "1", why: forwarded },
          { name: "net/bridge/bridge-nf-call-ip6tables", value: "1", why: bridged },
        ]
      : []),
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
  const [address = "", bits] = range.split("/");
  if (address.includes(":")) return false;
  if (address.startsWith("127.")) return true;
  const list = new BlockList();
  list.addSubnet(address, Number(bits));
  return list.check("127.0.0.1");
}

/**
 * The limits of the kernel's table of connections.
 */
export function conntrackParameters(
  { conntrack }: OrchProxyConfiguration,
  processors: number,
): readonly NeededParameter[] {
  const { maxPerCore, min, tcpEstablishedTimeout, tcpCloseWaitTimeout } = conntrack;
  const seconds = (ms: number): string => String(Math.floor(ms / 1000));
  const max = maxPerCore === 0 ? 0 : Math.max(min, maxPerCore * processors);
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
