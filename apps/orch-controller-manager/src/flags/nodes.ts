import { flagSection } from "@orchernetes/component";

/** The controllers of nodes. */
export const nodeSection = {
  ...flagSection("Node IPAM controller", {
    "node-cidr-mask-size": {
      type: "int",
      default: 0,
      min: 0,
      effect: "none",
      help: "Mask size of node ranges in a single-stack cluster; 0 means 24 for IPv4 and 64 for IPv6.",
    },
    "node-cidr-mask-size-ipv4": {
      type: "int",
      default: 0,
      min: 0,
      effect: "none",
      help: "Mask size of IPv4 node ranges in a dual-stack cluster; 0 means 24.",
    },
    "node-cidr-mask-size-ipv6": {
      type: "int",
      default: 0,
      min: 0,
      effect: "none",
      help: "Mask size of IPv6 node ranges in a dual-stack cluster; 0 means 64.",
    },
    "service-cluster-ip-range": {
      type: "string",
      default: "",
      effect: "none",
      help: "CIDR of cluster IPs of services, left out when node ranges are given out; needs --allocate-node-cidrs.",
    },
  }),
  ...flagSection("Node lifecycle controller", {
    "node-monitor-grace-period": {
      type: "duration",
      default: "40s",
      min: 1,
      help: "How long a running node may be silent before it counts as unhealthy. Must be several times the interval at which node agents report.",
    },
    "node-startup-grace-period": {
      type: "duration",
      default: "1m0s",
      min: 0,
      help: "How long a starting node may be silent before it counts as unhealthy.",
    },
    "node-eviction-rate": {
      type: "float",
      default: 0.1,
      min: 0,
      help: "Nodes a second whose pods are deleted on node failure while the zone is healthy.",
    },
    "secondary-node-eviction-rate": {
      type: "float",
      default: 0.01,
      min: 0,
      help: "Nodes a second whose pods are deleted on node failure while the zone is unhealthy; 0 in clusters up to --large-cluster-size-threshold.",
    },
    "large-cluster-size-threshold": {
      type: "int",
      default: 50,
      min: 0,
      help: "Nodes up to which a cluster counts as small, which sets the secondary eviction rate to 0.",
    },
    "unhealthy-zone-threshold": {
      type: "float",
      default: 0.55,
      min: 0,
      help: "Share of nodes that are not ready, at least three of them, above which a zone counts as unhealthy.",
    },
  }),
};
