import type { core } from "@orchernetes/api";
import type { OrchProxyConfiguration } from "@orchernetes/config";
import { assertNever } from "@orchernetes/kernel";
import type { DetectLocal, NodeFacts, OnlyNode, ServiceSettings } from "@orchernetes/proxy";
import type { Config } from "../config.ts";

const ZONE = "topology.orchernetes.io/zone";

/**
 * The settings of the rules.
 * @param node this daemon's node; undefined if it is not known
 * @param hasIPv6 whether the kernel has IPv6
 */
export function serviceSettings(
  { settings, nodeName, gates }: Pick<Config, "settings" | "nodeName" | "gates">,
  node: core.Node | undefined,
  hasIPv6: boolean,
): ServiceSettings {
  const { iptables, nftables, nodePortAddresses } = settings;
  const { onlyNode } = nftables;
  return {
    tableName: nftables.tableName,
    nodeName,
    families: hasIPv6 ? ["IPv4", "IPv6"] : ["IPv4"],
    masqueradeAll: iptables.masqueradeAll,
    masqueradeBit: iptables.masqueradeBit,
    localhostNodePorts: iptables.localhostNodePorts,
    detectLocal: detectLocalOf(settings, node),
    nodePortAddresses,
    topologyHints: gates.enabled("TopologyAwareHints"),
    terminatingEndpoints: gates.enabled("ProxyTerminatingEndpoints"),
    reservedAddresses: settings.clusterDNS.addresses,
    ...(onlyNode && { onlyNode: copyOf(onlyNode) }),
  };
}

const copyOf = ({ podInterfaces, addresses, hostTraffic }: OnlyNode): OnlyNode => ({
  podInterfaces,
  addresses,
  hostTraffic,
});

/** Whether the rules need to know the node before they can be made. */
export const needsNode = ({ detectLocalMode }: OrchProxyConfiguration): boolean => detectLocalMode === "NodeCIDR";

/** How traffic of pods is recognized. */
function detectLocalOf(
  { clusterCIDR, detectLocalMode, detectLocal }: OrchProxyConfiguration,
  node: core.Node | undefined,
): DetectLocal {
  switch (detectLocalMode) {
    case "":
    case "ClusterCIDR":
      return clusterCIDR === "" ? { mode: "None" } : { mode: "ClusterCIDR", ranges: clusterCIDR.split(",") };
    case "NodeCIDR":
      return { mode: "NodeCIDR", ranges: podCIDRs(node) };
    case "BridgeInterface":
      return { mode: "BridgeInterface", name: detectLocal.bridgeInterface };
    case "InterfaceNamePrefix":
      return { mode: "InterfaceNamePrefix", prefix: detectLocal.interfaceNamePrefix };
    default:
      return assertNever(detectLocalMode);
  }
}

/** The ranges of addresses of a node's pods. */
export function podCIDRs(node: core.Node | undefined): readonly string[] {
  const { podCIDRs: all = [], podCIDR = "" } = node?.spec ?? {};
  return all.length > 0 ? all : podCIDR === "" ? [] : [podCIDR];
}

/** What the rules depend on of a node, and may change. */
export function nodeFactsOf(node: core.Node | undefined): NodeFacts {
  const addresses = (node?.status.addresses ?? []).filter(({ type }) => type === "InternalIP" || type === "ExternalIP");
  return {
    zone: node?.metadata.labels?.[ZONE],
    addresses: addresses.map(({ address }) => address),
    agentPort: node?.status.daemonEndpoints?.orchletEndpoint?.Port,
  };
}
