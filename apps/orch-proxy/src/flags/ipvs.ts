import { flagSection } from "@orchernetes/component";

const idle = { effect: "none" } as const;

/** The settings of the original's mode ipvs, for which nftables stands here. */
export const ipvsSection = flagSection("IPVS", {
  "ipvs-exclude-cidrs": {
    ...idle,
    field: "ipvs.excludeCIDRs",
    type: "strings",
    default: [],
    help: "CIDRs whose rules mode ipvs does not remove.",
  },
  "ipvs-min-sync-period": {
    ...idle,
    field: "ipvs.minSyncPeriod",
    type: "duration",
    default: "0s",
    min: 0,
    help: "Minimum interval between two updates of the rules in mode ipvs.",
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
    help: "Maximum interval between two updates of the rules in mode ipvs.",
  },
  "ipvs-tcp-timeout": {
    ...idle,
    field: "ipvs.tcpTimeout",
    type: "duration",
    default: "0s",
    min: 0,
    help: "Timeout of idle TCP connections in mode ipvs; 0 does not change the kernel's timeout.",
  },
  "ipvs-tcpfin-timeout": {
    ...idle,
    field: "ipvs.tcpFinTimeout",
    type: "duration",
    default: "0s",
    min: 0,
    help: "Timeout of TCP connections after a FIN in mode ipvs; 0 does not change the kernel's timeout.",
  },
  "ipvs-udp-timeout": {
    ...idle,
    field: "ipvs.udpTimeout",
    type: "duration",
    default: "0s",
    min: 0,
    help: "Timeout of UDP packets in mode ipvs; 0 does not change the kernel's timeout.",
  },
});
