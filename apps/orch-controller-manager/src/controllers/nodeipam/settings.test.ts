import { NamedFiles } from "@orchernetes/component";
import type { OrchControllerManagerConfiguration } from "@orchernetes/config";
import { describe, expect, test } from "vitest";
import { document } from "../../testing/settings.ts";
import { type NodeIpamSettings, nodeIpamSettings } from "./settings.ts";

type Shared = Partial<OrchControllerManagerConfiguration["OrchCloudShared"]>;
type Section = Partial<OrchControllerManagerConfiguration["NodeIPAMController"]>;

function settingsOf(
  shared: Shared,
  section: Section = {},
  gate = false,
): { readonly settings: NodeIpamSettings; readonly errors: readonly string[] } {
  const files = new NamedFiles();
  const settings = nodeIpamSettings({
    document: {
      ...document,
      OrchCloudShared: { ...document.OrchCloudShared, AllocateNodeCIDRs: true, ...shared },
      NodeIPAMController: { ...document.NodeIPAMController, ...section },
    },
    gates: { enabled: (name) => gate && name === "MultiCIDRRangeAllocator" },
    files,
    namedFile: (field) => ({ from: field.split(".")[1] ?? "", path: "" }),
    client: undefined,
  });
  return { settings, errors: files.errors };
}

function ranges(shared: Shared, section: Section = {}): readonly string[] {
  const { settings, errors } = settingsOf(shared, section);
  expect(errors).toEqual([]);
  return settings.clusterRanges.map(({ network, nodeBits }) => `${network.text} into /${nodeBits}`);
}

const dual = "10.244.0.0/16,fd00::/48";

test("without ranges for nodes nothing is checked", () => {
  const { settings, errors } = settingsOf({ AllocateNodeCIDRs: false, ClusterCIDR: "nonsense" });
  expect([settings.isEnabled, errors]).toEqual([false, []]);
});

test.each<[string, Section, readonly string[]]>([
  ["10.244.0.0/16", {}, ["10.244.0.0/16 into /24"]],
  ["10.244.1.2/16", { NodeCIDRMaskSize: 26 }, ["10.244.0.0/16 into /26"]],
  ["10.244.0.0/16", { NodeCIDRMaskSizeIPv4: 28 }, ["10.244.0.0/16 into /28"]],
  ["fd00::/48", {}, ["fd00::/48 into /64"]],
  ["fd00::/100", { NodeCIDRMaskSizeIPv6: 112 }, ["fd00::/100 into /112"]],
  [dual, {}, ["10.244.0.0/16 into /24", "fd00::/48 into /64"]],
  ["fd00::/48, 10.244.0.0/16", {}, ["fd00::/48 into /64", "10.244.0.0/16 into /24"]],
  [dual, { NodeCIDRMaskSizeIPv4: 25, NodeCIDRMaskSizeIPv6: 60 }, ["10.244.0.0/16 into /25", "fd00::/48 into /60"]],
])("%s with %j is split: %j", (ClusterCIDR, section, want) => {
  expect(ranges({ ClusterCIDR }, section)).toEqual(want);
});

describe("what is wrong is reported", () => {
  const cidr = { ClusterCIDR: "10.244.0.0/16" };
  test.each<[string, Shared, Section, string]>([
    ["no range", {}, {}, "ClusterCIDR: not set, but --allocate-node-cidrs needs the range of the cluster"],
    ["nonsense", { ClusterCIDR: "x" }, {}, 'ClusterCIDR: found "x"; want a range such as 10.244.0.0/16'],
    [
      "two ranges of a family",
      { ClusterCIDR: "10.0.0.0/16,10.1.0.0/16" },
      {},
      "ClusterCIDR: both ranges are IPv4; two ranges are of different IP families",
    ],
    [
      "three ranges",
      { ClusterCIDR: `${dual},10.1.0.0/16` },
      {},
      "ClusterCIDR: found 3 ranges; want one, or one of each IP family",
    ],
    [
      "ranges of nodes that are too large",
      cidr,
      { NodeCIDRMaskSize: 8 },
      "ClusterCIDR: range 10.244.0.0/16 cannot be split into ranges with prefix /8: the range of a node would be larger than the whole range",
    ],
    [
      "too many ranges",
      { ClusterCIDR: "fd00::/32" },
      {},
      "ClusterCIDR: range fd00::/32 cannot be split into ranges with prefix /64: the prefixes of the range and of the ranges of nodes may differ by at most 16 bits",
    ],
    [
      "one size for both families",
      { ClusterCIDR: dual },
      { NodeCIDRMaskSize: 112 },
      "NodeCIDRMaskSize: cannot be used with ranges of both IP families",
    ],
    [
      "a size for all and for one family",
      cidr,
      { NodeCIDRMaskSize: 24, NodeCIDRMaskSizeIPv4: 24 },
      "NodeCIDRMaskSize: cannot be used together with the sizes of each IP family",
    ],
    [
      "the size of the other family",
      cidr,
      { NodeCIDRMaskSizeIPv6: 64 },
      "NodeCIDRMaskSizeIPv6: cannot be used in a cluster with IPv4 alone",
    ],
    [
      "the size of the other family",
      { ClusterCIDR: "fd00::/48" },
      { NodeCIDRMaskSizeIPv4: 24 },
      "NodeCIDRMaskSizeIPv4: cannot be used in a cluster with IPv6 alone",
    ],
    [
      "an allocator of a cloud",
      { ...cidr, CIDRAllocatorType: "CloudAllocator" },
      {},
      'CIDRAllocatorType: "CloudAllocator" needs a cloud provider that is built in; want "RangeAllocator" or "MultiCIDRRangeAllocator"',
    ],
    [
      "objects without the gate",
      { ...cidr, CIDRAllocatorType: "MultiCIDRRangeAllocator" },
      {},
      'CIDRAllocatorType: "MultiCIDRRangeAllocator" needs --feature-gates=MultiCIDRRangeAllocator=true',
    ],
    [
      "two ranges of services of a family",
      cidr,
      { ServiceCIDR: "10.0.0.0/16", SecondaryServiceCIDR: "10.1.0.0/16" },
      'SecondaryServiceCIDR: found "10.1.0.0/16"; want a range of the other IP family than that of ServiceCIDR, "10.0.0.0/16"',
    ],
  ])("%s", (_, shared, section, error) => {
    expect(settingsOf(shared, section).errors).toContain(error);
  });
});

test("ranges of services are those of one field or two", () => {
  const of = (section: Section) =>
    settingsOf({ ClusterCIDR: dual }, section).settings.serviceRanges.map(({ text }) => text);
  expect(of({ ServiceCIDR: "10.96.0.0/12,fd01::/112" })).toEqual(["10.96.0.0/12", "fd01::/112"]);
  expect(of({ ServiceCIDR: "10.96.0.0/12", SecondaryServiceCIDR: "fd01::/112" })).toEqual([
    "10.96.0.0/12",
    "fd01::/112",
  ]);
  expect(of({})).toEqual([]);
});

test("with the gate ranges come from objects", () => {
  const shared = { ClusterCIDR: dual, CIDRAllocatorType: "MultiCIDRRangeAllocator" } as const;
  expect(settingsOf(shared, {}, true)).toMatchObject({ settings: { fromObjects: true }, errors: [] });
});
