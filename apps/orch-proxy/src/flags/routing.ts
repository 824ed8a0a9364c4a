import { flagSection } from "@orchernetes/component";

/** Which traffic is handled, and how. */
export const routingSection = flagSection("Services", {
  "proxy-mode": {
    field: "mode",
    type: "string",
    default: "",
    oneOf: ["", "nftables", "userspace", "iptables", "ipvs"],
    help: 'How services are served: "nftables" uses packet filter rules in the kernel, "userspace" forwards connections to loopback addresses. If empty, nftables is used if this process has permission for it, otherwise userspace. "iptables" and "ipvs" are replaced by nftables.',
  },
  "cluster-cidr": {
    field: "clusterCIDR",
    type: "string",
    default: "",
    help: "CIDR of the pods of the cluster, or a comma-separated CIDR of each IP family. Traffic to a service from outside gets the node's source address.",
  },
  "detect-local-mode": {
    field: "detectLocalMode",
    type: "string",
    default: "",
    oneOf: ["", "ClusterCIDR", "NodeCIDR", "BridgeInterface", "InterfaceNamePrefix"],
    help: "How to detect traffic of this node's pods; empty means ClusterCIDR.",
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
    help: "Prefix of the interface names of this node's pods, for --detect-local-mode=InterfaceNamePrefix.",
  },
  "masquerade-all": {
    field: "iptables.masqueradeAll",
    type: "bool",
    default: false,
    help: "Uses the node's source address for all traffic to cluster IPs of services.",
  },
  "nodeport-addresses": {
    field: "nodePortAddresses",
    type: "strings",
    default: [],
    help: "CIDRs of the node addresses that serve node ports; empty means all addresses of the node.",
  },
  "iptables-localhost-nodeports": {
    field: "iptables.localhostNodePorts",
    type: "bool",
    default: true,
    help: "Also serves node ports on loopback addresses.",
  },
  "iptables-masquerade-bit": {
    field: "iptables.masqueradeBit",
    type: "int",
    default: 14,
    min: 0,
    max: 31,
    help: "Bit of the packet mark for packets that get the node's source address.",
  },
  "iptables-sync-period": {
    field: "iptables.syncPeriod",
    type: "duration",
    default: "30s",
    min: 1,
    help: "Maximum interval between two checks of the packet filter rules.",
  },
  "iptables-min-sync-period": {
    field: "iptables.minSyncPeriod",
    type: "duration",
    default: "1s",
    min: 0,
    help: "Minimum interval between two updates of the packet filter rules; changes in between are collected.",
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
    help: "Range of ports for the former user-space mode of kube-proxy.",
  },
});
