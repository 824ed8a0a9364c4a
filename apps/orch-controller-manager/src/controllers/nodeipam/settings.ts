import { flagSection } from "@orchernetes/component";
import type { OrchControllerManagerConfiguration } from "@orchernetes/config";
import type { SettingsSource } from "../../shared/define-controller.ts";
import { splitProblem } from "./ranges/cidr-set.ts";
import { type ClusterRange, type Network, parseNetwork } from "./ranges/network.ts";

/** The settings of the controller of node ranges. */
export interface NodeIpamSettings {
  readonly isEnabled: boolean;
  /** Whether further ranges come from ClusterCIDR objects. */
  readonly fromObjects: boolean;
  /** One, or one of each family; the order is that of the ranges of a node. */
  readonly clusterRanges: readonly ClusterRange[];
  /** Ranges of services, which no node gets. */
  readonly serviceRanges: readonly Network[];
}

/** The flags of the controller of node ranges. */
export const nodeIpamFlags = flagSection("Node IPAM controller", {
  "node-cidr-mask-size": {
    field: "NodeIPAMController.NodeCIDRMaskSize",
    type: "int",
    default: 0,
    min: 0,
    help: "Mask size of node ranges in a single-stack cluster; 0 means 24 for IPv4 and 64 for IPv6.",
  },
  "node-cidr-mask-size-ipv4": {
    field: "NodeIPAMController.NodeCIDRMaskSizeIPv4",
    type: "int",
    default: 0,
    min: 0,
    help: "Mask size of IPv4 node ranges in a dual-stack cluster; 0 means 24.",
  },
  "node-cidr-mask-size-ipv6": {
    field: "NodeIPAMController.NodeCIDRMaskSizeIPv6",
    type: "int",
    default: 0,
    min: 0,
    help: "Mask size of IPv6 node ranges in a dual-stack cluster; 0 means 64.",
  },
  "service-cluster-ip-range": {
    field: "NodeIPAMController.ServiceCIDR",
    type: "string",
    default: "",
    help: "CIDR of cluster IPs of services, which is excluded from node ranges; requires --allocate-node-cidrs.",
  },
});

type Report = (field: string, problem: string) => void;

const disabled: NodeIpamSettings = { isEnabled: false, fromObjects: false, clusterRanges: [], serviceRanges: [] };

/** The settings; errors are added to those of the files. Without `--allocate-node-cidrs` nothing is checked. */
export function nodeIpamSettings(source: SettingsSource): NodeIpamSettings {
  const { document, files, gates } = source;
  const { AllocateNodeCIDRs, CIDRAllocatorType, ClusterCIDR } = document.OrchCloudShared;
  if (!AllocateNodeCIDRs) return disabled;
  const report: Report = (field, problem) => files.errors.push(`${source.namedFile(field).from}: ${problem}`);
  const quoted = JSON.stringify(CIDRAllocatorType);
  const type = "OrchCloudShared.CIDRAllocatorType";
  const fromObjects = CIDRAllocatorType === "MultiCIDRRangeAllocator";
  if (fromObjects && !gates.enabled("MultiCIDRRangeAllocator")) {
    report(type, `${quoted} needs --feature-gates=MultiCIDRRangeAllocator=true`);
  } else if (!fromObjects && CIDRAllocatorType !== "RangeAllocator") {
    report(
      type,
      `${quoted} needs a cloud provider that is built in; want "RangeAllocator" or "MultiCIDRRangeAllocator"`,
    );
  }
  const networks = rangesOf(ClusterCIDR, "OrchCloudShared.ClusterCIDR", report);
  if (ClusterCIDR.trim() === "") {
    report("OrchCloudShared.ClusterCIDR", "not set, but --allocate-node-cidrs needs the range of the cluster");
  }
  return {
    isEnabled: true,
    fromObjects,
    clusterRanges: withMasks(networks, document.NodeIPAMController, report),
    serviceRanges: serviceRangesOf(document.NodeIPAMController, report),
  };
}

/** One range, or two of different families, separated by a comma. */
function rangesOf(text: string, field: string, report: Report): readonly Network[] {
  if (text.trim() === "") return [];
  const parts = text.split(",");
  const networks = parts.flatMap((part) => {
    const network = parseNetwork(part);
    if (network === undefined) report(field, `found ${JSON.stringify(part)}; want a range such as 10.244.0.0/16`);
    return network ?? [];
  });
  if (parts.length > 2) {
    report(field, `found ${parts.length} ranges; want one, or one of each IP family`);
    return [];
  }
  const [first, second] = networks;
  if (second !== undefined && first?.family === second.family) {
    report(field, `both ranges are ${second.family}; two ranges are of different IP families`);
    return [];
  }
  return networks;
}

type Section = OrchControllerManagerConfiguration["NodeIPAMController"];

function serviceRangesOf({ ServiceCIDR, SecondaryServiceCIDR }: Section, report: Report): readonly Network[] {
  const first = rangesOf(ServiceCIDR, "NodeIPAMController.ServiceCIDR", report);
  const second = rangesOf(SecondaryServiceCIDR, "NodeIPAMController.SecondaryServiceCIDR", report);
  const [one] = first;
  const [other] = second;
  if (one !== undefined && other !== undefined && (first.length + second.length > 2 || one.family === other.family)) {
    const want = `want a range of the other IP family than that of ServiceCIDR, ${JSON.stringify(ServiceCIDR)}`;
    report("NodeIPAMController.SecondaryServiceCIDR", `found ${JSON.stringify(SecondaryServiceCIDR)}; ${want}`);
  }
  return [...first, ...second];
}

/** The prefix of the ranges of nodes: set for both families, or for each one. */
function withMasks(networks: readonly Network[], section: Section, report: Report): readonly ClusterRange[] {
  const { NodeCIDRMaskSize: both, NodeCIDRMaskSizeIPv4: v4, NodeCIDRMaskSizeIPv6: v6 } = section;
  const at = (name: string) => `NodeIPAMController.NodeCIDRMaskSize${name}`;
  if (both !== 0 && networks.length > 1) report(at(""), "cannot be used with ranges of both IP families");
  if (both !== 0 && (v4 !== 0 || v6 !== 0)) report(at(""), "cannot be used together with the sizes of each IP family");
  const only = networks.length === 1 ? networks[0]?.family : undefined;
  if (v4 !== 0 && only === "IPv6") report(at("IPv4"), "cannot be used in a cluster with IPv6 alone");
  if (v6 !== 0 && only === "IPv4") report(at("IPv6"), "cannot be used in a cluster with IPv4 alone");
  return networks.flatMap((network) => {
    const nodeBits = both || (network.family === "IPv4" ? v4 || 24 : v6 || 64);
    const problem = splitProblem(network, nodeBits);
    if (problem === undefined) return { network, nodeBits };
    report(
      "OrchCloudShared.ClusterCIDR",
      `range ${network.text} cannot be split into ranges with prefix /${nodeBits}: ${problem}`,
    );
    return [];
  });
}
