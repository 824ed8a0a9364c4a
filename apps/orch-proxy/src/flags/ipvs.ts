import { flagSection } from "@orchernetes/component";

const idle = { effect: "none" } as const;

/** The settings of the original's mode ipvs, for which nftables stands here. */
export const ipvsSection = flagSection("IPVS", {
  "ipvs-exclude-cidrs": {
    ...idle,
    field: "ipvs.excludeCIDRs",
    type: "strings",
    default: [],
    help: "Blocks of addresses that mode ipvs leaves alone when it removes rules.",
  },
  "ipvs-min-sync-period": {
    ...idle,
    field: "ipvs.minSyncPeriod",
    type: "duration",
    default: "0s",
    min: 0,
    help: "Shortest interval between two updates of the rules in mode ipvs.",
  },
  "ipvs-scheduler": {
    ...idle,
    field: "ipvs.scheduler",
    type: "string",
    default: "",
    help: "Algorithm by which mode ipvs chooses endpoints.",
  },
  "ipvs-strict-arp": {
    ...idle,
    field: "ipvs.strictARP",
    type: "bool",
    default: false,
    help: "Sets arp_ignore to 1 and arp_announce to 2 in mode ipvs.",
  },
  "ipvs-sync-period": {
    ...idle,
    field: "ipvs.syncPeriod",
    type: "duration",
    default: "30s",
    min: 1,
    help: "Longest interval between two updates of the rules in mode ipvs.",
  },
  "ipvs-tcp-timeout": {
    ...idle,
    field: "ipvs.tcpTimeout",
    type: "duration",
    default: "0s",
    min: 0,
    help: "Timeout of idle TCP connections in mode ipvs; 0 leaves the kernel's.",
  },
  "ipvs-tcpfin-timeout": {
    ...idle,
    field: "ipvs.tcpFinTimeout",
    type: "duration",
    default: "0s",
    min: 0,
    help: "Timeout of TCP connections after a FIN in mode ipvs; 0 leaves the kernel's.",
  },
  "ipvs-udp-timeout": {
    ...idle,
    field: "ipvs.udpTimeout",
    type: "duration",
    default: "0s",
    min: 0,
    help: "Timeout of UDP packets in mode ipvs; 0 leaves the kernel's.",
  },
});
