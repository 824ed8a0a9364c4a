import { flagSection } from "@orchernetes/component";

/** Which traffic is handled, and how. */
export const routingSection = flagSection("Services", {
  "proxy-mode": {
    field: "mode",
    type: "string",
    default: "",
    oneOf: ["", "nftables", "userspace", "iptables", "ipvs"],
    help: 'How services are served: "nftables" with the packet filter of the kernel, "userspace" by forwarding connections of loopback addresses. Empty chooses nftables where this process may use it, else userspace. "iptables" and "ipvs" stand for nftables.',
  },
  "cluster-cidr": {
    field: "clusterCIDR",
    type: "string",
    default: "",
    help: "Addresses of the cluster's pods, or those of both families with a comma between them. Traffic to a service from other addresses gets the node's source address.",
  },
  "detect-local-mode": {
    field: "detectLocalMode",
    type: "string",
    default: "",
    oneOf: ["", "ClusterCIDR", "NodeCIDR", "BridgeInterface", "InterfaceNamePrefix"],
    help: "How traffic of this node's pods is recognized; empty means ClusterCIDR.",
  },
  "pod-bridge-interface": {
    field: "detectLocal.bridgeInterface",
    type: "string",
    default: "",
    help: "Name of the bridge of this node's pods, for --detect-local-mode=BridgeInterface.",
  },
  "pod-interface-name-prefix": {
    field: "detectLocal.interfaceNamePrefix",
    type: "string",
    default: "",
    help: "Beginning of the names of the interfaces of this node's pods, for --detect-local-mode=InterfaceNamePrefix.",
  },
  "masquerade-all": {
    field: "iptables.masqueradeAll",
    type: "bool",
    default: false,
    help: "Gives all traffic to cluster IPs of services the node's source address.",
  },
  "nodeport-addresses": {
    field: "nodePortAddresses",
    type: "strings",
    default: [],
    help: "Blocks of addresses of this node on which node ports are served; empty means all of its addresses.",
  },
  "iptables-localhost-nodeports": {
    field: "iptables.localhostNodePorts",
    type: "bool",
    default: true,
    help: "Serves node ports on loopback addresses, too.",
  },
  "iptables-masquerade-bit": {
    field: "iptables.masqueradeBit",
    type: "int",
    default: 14,
    min: 0,
    max: 31,
    help: "Bit of the packet mark that says that a packet gets the node's source address.",
  },
  "iptables-sync-period": {
    field: "iptables.syncPeriod",
    type: "duration",
    default: "30s",
    min: 1,
    help: "Longest interval between two checks of the rules of the packet filter.",
  },
  "iptables-min-sync-period": {
    field: "iptables.minSyncPeriod",
    type: "duration",
    default: "1s",
    min: 0,
    help: "Shortest interval between two updates of the rules of the packet filter; changes in between are collected.",
  },
  "enable-network-policy": {
    field: "enableNetworkPolicy",
    type: "bool",
    default: true,
    help: "Enforces network policies for the pods of this node; needs proxy mode nftables.",
  },
  "proxy-port-range": {
    type: "string",
    default: "",
    effect: "none",
    deprecated: "it has no effect",
    help: "Range of ports that the original's former user-space mode used.",
  },
});
