import { type FlagTable, flagSection } from "@orchernetes/component";

/**
 * A controller of the original that is not implemented. Naming it in `--controllers` is allowed, but causes a warning.
 */
export interface AbsentController {
  readonly name: string;
  /** Its flags, which are accepted and checked. */
  readonly flags?: FlagTable;
}

/** The controllers of the original that are not implemented. */
export const absentControllers: readonly AbsentController[] = [
  {
    name: "attachdetach",
    flags: flagSection("Attach detach controller", {
      "attach-detach-reconcile-sync-period": {
        field: "AttachDetachController.ReconcilerSyncLoopPeriod",
        type: "duration",
        default: "1m0s",
        min: 1001,
        effect: "none",
        help: "Interval between comparisons of attached volumes with desired ones; must be longer than one second.",
      },
      "disable-attach-detach-reconcile-sync": {
        field: "AttachDetachController.DisableAttachDetachReconcilerSync",
        type: "bool",
        default: false,
        effect: "none",
        help: "Disables comparisons of attached volumes with desired ones; pods may then keep stale volumes.",
      },
    }),
  },
  { name: "cloud-node-lifecycle" },
  {
    name: "nodeipam",
    flags: flagSection("Node IPAM controller", {
      "node-cidr-mask-size": {
        field: "NodeIPAMController.NodeCIDRMaskSize",
        type: "int",
        default: 0,
        min: 0,
        effect: "none",
        help: "Mask size of node ranges in a single-stack cluster; 0 means 24 for IPv4 and 64 for IPv6.",
      },
      "node-cidr-mask-size-ipv4": {
        field: "NodeIPAMController.NodeCIDRMaskSizeIPv4",
        type: "int",
        default: 0,
        min: 0,
        effect: "none",
        help: "Mask size of IPv4 node ranges in a dual-stack cluster; 0 means 24.",
      },
      "node-cidr-mask-size-ipv6": {
        field: "NodeIPAMController.NodeCIDRMaskSizeIPv6",
        type: "int",
        default: 0,
        min: 0,
        effect: "none",
        help: "Mask size of IPv6 node ranges in a dual-stack cluster; 0 means 64.",
      },
      "service-cluster-ip-range": {
        field: "NodeIPAMController.ServiceCIDR",
        type: "string",
        default: "",
        effect: "none",
        help: "CIDR of cluster IPs of services, which is excluded from node ranges; requires --allocate-node-cidrs.",
      },
    }),
  },
  { name: "persistentvolume-expander" },
  { name: "resource-claim-controller" },
  { name: "route" },
  { name: "service" },
];
