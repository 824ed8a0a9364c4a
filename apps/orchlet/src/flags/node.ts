import { configFlags } from "./config-flags.ts";
import { taintsToField } from "./to-field.ts";

/** What the agent says about its node. */
export const nodeSection = configFlags("Node", {
  "register-node": {
    field: "registerNode",
    type: "bool",
    default: true,
    help: "Registers the node with the API server; has no effect without --orchconfig.",
  },
  "register-with-taints": {
    field: "registerWithTaints",
    toField: taintsToField,
    type: "strings",
    default: [],
    validate: (items) =>
      items.every((item) => /^[^=:]+(=[^:]*)?:(NoSchedule|PreferNoSchedule|NoExecute)$/.test(item))
        ? undefined
        : "key=value:effect with effect NoSchedule, PreferNoSchedule or NoExecute",
    help: "Taints to register the node with, as key=value:effect.",
  },
  "node-status-update-frequency": {
    field: "nodeStatusUpdateFrequency",
    type: "duration",
    default: "10s",
    min: 1,
    help: "How often the status of the node is computed. Must be compatible with --node-monitor-grace-period of the controller manager.",
  },
  "node-status-report-frequency": {
    field: "nodeStatusReportFrequency",
    type: "duration",
    min: 1,
    help: "How often an unchanged status is reported; changes are reported at once. Defaults to --node-status-update-frequency if that is set, else to 5m0s.",
  },
  "node-lease-duration-seconds": {
    field: "nodeLeaseDurationSeconds",
    type: "int",
    default: 40,
    min: 1,
    help: "Duration of the node's lease in seconds.",
  },
  "node-status-max-images": {
    field: "nodeStatusMaxImages",
    type: "int",
    default: 50,
    min: -1,
    help: "Maximum number of images listed in the status; -1 means all, 0 none.",
  },
  "provider-id": {
    field: "providerID",
    type: "string",
    default: "",
    help: "Identity of this machine for an external cloud provider.",
  },
  "max-pods": { field: "maxPods", type: "int", default: 110, min: 0, help: "Maximum number of pods on the node." },
  "pods-per-core": {
    field: "podsPerCore",
    type: "int",
    default: 0,
    min: 0,
    help: "Maximum number of pods per core, up to --max-pods; 0 means no such limit.",
  },
  "pod-cidr": {
    field: "podCIDR",
    type: "string",
    default: "",
    help: "Range of pod addresses if there is no API server; otherwise it is taken from the node object.",
  },
  "cluster-dns": {
    field: "clusterDNS",
    type: "strings",
    default: [],
    help: "Addresses of the DNS servers for pods with dnsPolicy ClusterFirst.",
  },
  "cluster-domain": {
    field: "clusterDomain",
    type: "string",
    default: "",
    help: "Domain of the cluster; containers search it in addition to the host's domains.",
  },
  "resolv-conf": {
    field: "resolvConf",
    type: "string",
    default: "/etc/resolv.conf",
    help: "Resolver configuration file for containers; empty means that pods do not inherit DNS settings of the host.",
  },
  "hairpin-mode": {
    field: "hairpinMode",
    type: "string",
    default: "promiscuous-bridge",
    oneOf: ["promiscuous-bridge", "hairpin-veth", "none"],
    help: "How a pod behind a bridge reaches itself through its Service: hairpin-veth sets hairpin mode on the bridge port of the pod, promiscuous-bridge makes the bridge promiscuous, none does neither. If it is not set, the network plugin decides.",
  },
  "make-iptables-util-chains": {
    field: "makeIPTablesUtilChains",
    type: "bool",
    default: true,
    help: "Maintains the packet filter rules that other components rely on.",
  },
  "iptables-masquerade-bit": {
    field: "iptablesMasqueradeBit",
    type: "int",
    default: 14,
    min: 0,
    max: 31,
    help: "Bit of the packet mark that marks packets for SNAT; must match the setting of the proxy.",
  },
  "iptables-drop-bit": {
    field: "iptablesDropBit",
    type: "int",
    default: 15,
    min: 0,
    max: 31,
    help: "Bit of the packet mark that marks packets to drop; must differ from --iptables-masquerade-bit.",
  },
  "enable-controller-attach-detach": {
    field: "enableControllerAttachDetach",
    type: "bool",
    default: true,
    help: "Leaves attaching volumes to the controller manager; must be true for CSI volumes.",
  },
  "volume-plugin-dir": {
    field: "volumePluginDir",
    type: "string",
    default: "/usr/libexec/orchernetes/orchlet-plugins/volume/exec/",
    help: "Directory searched for third-party volume plugins.",
  },
  "volume-stats-agg-period": {
    field: "volumeStatsAggPeriod",
    type: "duration",
    default: "1m0s",
    help: "How often the usage of volumes is computed; 0 or less disables it.",
  },
});
