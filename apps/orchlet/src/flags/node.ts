import { configFlags } from "./config-flags.ts";

/** What the agent says about its node. */
export const nodeSection = configFlags("Node", {
  "register-node": {
    type: "bool",
    default: true,
    help: "Registers the node with the API server; without --orchconfig there is none.",
  },
  "register-with-taints": {
    type: "strings",
    default: [],
    validate: (items) =>
      items.every((item) => /^[^=:]+(=[^:]*)?:(NoSchedule|PreferNoSchedule|NoExecute)$/.test(item))
        ? undefined
        : "key=value:effect with effect NoSchedule, PreferNoSchedule or NoExecute",
    help: "Taints the node is registered with, as key=value:effect.",
  },
  "node-status-update-frequency": {
    type: "duration",
    default: "10s",
    min: 1,
    help: "How often the status of the node is computed. Must fit --node-monitor-grace-period of the controller manager.",
  },
  "node-status-report-frequency": {
    type: "duration",
    min: 1,
    help: "How often an unchanged status is written; changes are written at once. Unset: --node-status-update-frequency if that is set, else 5m0s.",
  },
  "node-lease-duration-seconds": {
    type: "int",
    default: 40,
    min: 1,
    help: "Seconds for which the node's lease is valid.",
  },
  "node-status-max-images": {
    type: "int",
    default: 50,
    min: -1,
    help: "Most images listed in the status; -1 means all, 0 none.",
  },
  "provider-id": { type: "string", default: "", help: "Identity of this machine for an external provider." },
  "max-pods": { type: "int", default: 110, min: 0, help: "Most pods on the node." },
  "pods-per-core": {
    type: "int",
    default: 0,
    min: 0,
    help: "Most pods for each core, within --max-pods; 0 means no such limit.",
  },
  "pod-cidr": {
    type: "string",
    default: "",
    help: "Range of pod addresses without an API server; otherwise the node object tells it.",
  },
  "cluster-dns": {
    type: "strings",
    default: [],
    help: "Addresses of DNS servers for containers of pods with dnsPolicy ClusterFirst.",
  },
  "cluster-domain": {
    type: "string",
    default: "",
    help: "Domain of the cluster, searched by containers beside those of the host.",
  },
  "resolv-conf": {
    type: "string",
    default: "/etc/resolv.conf",
    help: "Resolver file for containers; empty means no DNS from the host.",
  },
  "hairpin-mode": {
    type: "string",
    default: "promiscuous-bridge",
    oneOf: ["promiscuous-bridge", "hairpin-veth", "none"],
    help: "How a pod reaches itself through its service.",
  },
  "make-iptables-util-chains": {
    type: "bool",
    default: true,
    help: "Keeps the packet filter rules that other components rely on.",
  },
  "iptables-masquerade-bit": {
    type: "int",
    default: 14,
    min: 0,
    max: 31,
    help: "Bit of the packet mark that asks for source translation; must be as in the proxy.",
  },
  "iptables-drop-bit": {
    type: "int",
    default: 15,
    min: 0,
    max: 31,
    help: "Bit of the packet mark that asks for dropping; other than --iptables-masquerade-bit.",
  },
  "enable-controller-attach-detach": {
    type: "bool",
    default: true,
    help: "Leaves attaching volumes to the controller manager; must be true for CSI volumes.",
  },
  "volume-plugin-dir": {
    type: "string",
    default: "/usr/libexec/orchernetes/orchlet-plugins/volume/exec/",
    help: "Directory searched for third-party volume plugins.",
  },
  "volume-stats-agg-period": {
    type: "duration",
    default: "1m0s",
    help: "How often the use of volumes is computed; 0 or less switches it off.",
  },
});
