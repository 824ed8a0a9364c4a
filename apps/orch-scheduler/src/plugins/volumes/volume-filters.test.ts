import type { core, storage } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";
import { claim, node, pod, storageClass, volume } from "@orchernetes/testkit";
import { describe, expect, test, vi } from "vitest";
import type { FilterPlugin } from "../../framework/interfaces.ts";
import { tableOf, verdictsOf } from "../../testing/tables.ts";
import { boundClaim, podUsing, type VolumeObjects, volumesOf } from "../../testing/volumes.ts";
import { limitResourceOf } from "./attachable-volumes.ts";
import { maxVolumesOf } from "./max-volumes.ts";
import { inTreeLimits, nodeVolumeLimits } from "./volume-limits.ts";
import { volumeRestrictions } from "./volume-restrictions.ts";
import { volumeZone } from "./volume-zone.ts";

const disk = (source: Partial<core.Volume>) => pod("p").spec({ volumes: [{ name: "d", ...source }] });
const on = (name: string, source: Partial<core.Volume>) =>
  pod("other")
    .on(name)
    .spec({ nodeName: name, volumes: [{ name: "d", ...source }] });

describe("VolumeRestrictions", () => {
  const taken = "node(s) had no available disk";
  const exclusive = "node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode";
  const rbd = (image: string, ...monitors: string[]) => ({ rbd: { image, monitors, pool: "p" } });
  test.each<[string, Partial<core.Volume>, Partial<core.Volume>, boolean]>([
    [
      "the same EBS volume",
      { awsElasticBlockStore: { volumeID: "v" } },
      { awsElasticBlockStore: { volumeID: "v" } },
      true,
    ],
    [
      "another EBS volume",
      { awsElasticBlockStore: { volumeID: "v" } },
      { awsElasticBlockStore: { volumeID: "w" } },
      false,
    ],
    [
      "the same disk",
      { gcePersistentDisk: { pdName: "d" } },
      { gcePersistentDisk: { pdName: "d", readOnly: true } },
      true,
    ],
    [
      "the same disk, which both read",
      { gcePersistentDisk: { pdName: "d", readOnly: true } },
      { gcePersistentDisk: { pdName: "d", readOnly: true } },
      false,
    ],
    [
      "the same target",
      { iscsi: { iqn: "i", lun: 0, targetPortal: "t" } },
      { iscsi: { iqn: "i", lun: 1, targetPortal: "u" } },
      true,
    ],
    ["the same image of a cluster", rbd("i", "m1", "m2"), rbd("i", "m2"), true],
    ["the same image of another cluster", rbd("i", "m1"), rbd("i", "m2"), false],
    ["another kind of volume", { gcePersistentDisk: { pdName: "d" } }, { emptyDir: {} }, false],
  ])("%s", (_, wanted, used, conflicts) => {
    const nodes = tableOf([node("a"), node("b")], [on("a", used)]);
    expect(verdictsOf(volumeRestrictions(volumesOf({})), disk(wanted), nodes)).toEqual([conflicts ? taken : "", ""]);
  });

  const user = (name: string, claimName: string) =>
    pod(name)
      .namespace("ns")
      .spec({ nodeName: "a", volumes: [{ name: "d", persistentVolumeClaim: { claimName } }] });
  const claims = [claim("one", { modes: ["ReadWriteOncePod"] }), claim("many")];
  test.each<[string, string, readonly string[]]>([
    ["an exclusive claim in use", "one", [exclusive, exclusive]],
    ["a claim that pods may share", "many", ["", ""]],
  ])("%s", (_, name, want) => {
    const nodes = tableOf([node("a"), node("b")], [user("x", name)]);
    expect(verdictsOf(volumeRestrictions(volumesOf({ claims })), podUsing(name), nodes)).toEqual(want);
  });

  test("an exclusive claim is free again when its pod is removed, and a pod's claim must exist", () => {
    const nodes = tableOf([node("a"), node("b")], [user("x", "one")]);
    nodes.removePod("a", "ns/x");
    const plugin = volumeRestrictions(volumesOf({ claims }));
    expect(verdictsOf(plugin, podUsing("one"), nodes)).toEqual(["", ""]);
    expect(verdictsOf(plugin, podUsing("none"), nodes)).toBe('persistentvolumeclaim "none" not found');
  });
});

describe("VolumeZone", () => {
  const zone = "topology.orchernetes.io/zone";
  const older = "failure-domain.beta.orchernetes.io/zone";
  const nodes = tableOf([
    node("a").labels({ [zone]: "1" }),
    node("b").labels({ [zone]: "2" }),
    node("c").labels({ [zone]: "" }),
    node("none").labels({ x: "y" }),
  ]);
  const no = "node(s) had no available volume zone";
  test.each<[string, VolumeObjects, readonly string[] | string]>([
    ["of a zone", { volumes: [volume("v", { labels: { [zone]: "1" } })] }, ["", no, no, ""]],
    ["of two zones", { volumes: [volume("v", { labels: { [zone]: "1__2" } })] }, ["", "", no, ""]],
    ["of a zone by the older label", { volumes: [volume("v", { labels: { [older]: "2" } })] }, [no, "", no, ""]],
    ["with a label that is no list", { volumes: [volume("v", { labels: { [zone]: "1__" } })] }, ["", "", "", ""]],
    ["of any zone", { volumes: [volume("v")] }, ["", "", "", ""]],
    ["that does not exist", {}, 'persistentvolume "v" not found'],
  ])("a volume %s", (_, objects, want) => {
    const cluster = volumesOf({ claims: [boundClaim("c", "v")], ...objects });
    expect(verdictsOf(volumeZone(cluster), podUsing("c"), nodes)).toEqual(want);
  });

  const late = storageClass("late", { volumeBindingMode: "WaitForFirstConsumer" });
  test.each<[string, Parameters<typeof claim>[1], readonly string[] | string]>([
    ["that waits for its consumer", { className: "late" }, ["", "", "", ""]],
    ["that is not bound yet", { className: "now" }, "PersistentVolume had no name"],
    ["without a class", { className: "" }, "PersistentVolumeClaim had no pv name and storageClass name"],
    ["whose class does not exist", { className: "gone" }, 'storageclass.storage.o8s.io "gone" not found'],
  ])("a claim %s", (_, sketch, want) => {
    const cluster = volumesOf({ claims: [claim("c", sketch)], classes: [late, storageClass("now")] });
    expect(verdictsOf(volumeZone(cluster), podUsing("c"), nodes)).toEqual(want);
  });
});

describe("volume limits", () => {
  const full = "node(s) exceed max volume count";
  const csi = (handle: string, driver = "d.example.com") => ({ source: { csi: { driver, volumeHandle: handle } } });
  const csiNode = (name: string, count: number, migrated = ""): Stored<storage.CSINode> => ({
    metadata: { ...volume(name).metadata, annotations: { "storage.alpha.orchernetes.io/migrated-plugins": migrated } },
    spec: {
      drivers: ["d.example.com", "ebs.csi.aws.com"].map((driver) => ({
        name: driver,
        nodeID: name,
        allocatable: { count },
      })),
    },
  });
  const names = ["1", "2", "3"];
  const objects: VolumeObjects = {
    claims: [...names.map((i) => boundClaim(`c${i}`, `v${i}`)), claim("new"), claim("newer")],
    volumes: [volume("v1", csi("h1")), volume("v2", csi("h2")), volume("v3", csi("h1"))],
    classes: [storageClass("fast", { provisioner: "d.example.com" })],
    csiNodes: [csiNode("a", 1), csiNode("b", 2)],
  };
  const user = pod("x")
    .namespace("ns")
    .spec({ nodeName: "a", volumes: [{ name: "d", persistentVolumeClaim: { claimName: "c1" } }] });
  const check = (
    plugin: FilterPlugin,
    using: Parameters<typeof verdictsOf>[1],
    allocatable: Record<string, string> = {},
  ) => verdictsOf(plugin, using, tableOf([node("a"), node("b").capacity(allocatable), node("c")], [user]));

  test.each<[string, readonly string[], readonly string[] | string]>([
    ["one more than the node can have", ["c2"], [full, "", ""]],
    ["two more", ["c2", "new"], [full, "", ""]],
    ["three more", ["c2", "new", "newer"], [full, full, ""]],
    ["the volume that is there", ["c1"], ["", "", ""]],
    ["the volume that is there, by another claim", ["c3"], ["", "", ""]],
    ["a volume to be created", ["new"], [full, "", ""]],
    ["no such claim", ["none"], Array(3).fill('persistentvolumeclaim "none" not found')],
  ])("of a CSI driver: %s", (_, claims, want) => {
    expect(check(nodeVolumeLimits(volumesOf(objects)), podUsing(...claims))).toEqual(want);
  });

  test("the limit that an administrator has set applies if the driver reports none", () => {
    const cluster = volumesOf({ ...objects, csiNodes: [] });
    const limit = { [limitResourceOf("d.example.com")]: "1" };
    expect(check(nodeVolumeLimits(cluster), podUsing("c2", "new"), limit)).toEqual(["", full, ""]);
    expect(limitResourceOf("d".repeat(80))).toHaveLength(62);
  });

  const limits = new Map(inTreeLimits.map((limit) => [limit(volumesOf({})).name, limit]));
  const inTree = (name: string, objects: VolumeObjects = {}, maxVolumes?: number): FilterPlugin => {
    const limit = limits.get(name);
    if (limit === undefined) throw new Error(`no filter ${name}`);
    return limit(volumesOf(objects), maxVolumes);
  };
  const disks = (count: number, source: (id: string) => Partial<core.Volume>) =>
    pod("p").spec({ volumes: Array.from({ length: count }, (_, i) => ({ name: `${i}`, ...source(`${i}`) })) });
  const ebsDisk = (id: string) => ({ awsElasticBlockStore: { volumeID: id } });
  const gceDisk = (id: string) => ({ gcePersistentDisk: { pdName: id } });

  test("in-tree disks count for their plugin, or for the driver that has taken over the plugin", () => {
    const limit = { "attachable-volumes-aws-ebs": "1" };
    expect(check(inTree("EBSLimits"), disks(2, ebsDisk), limit)).toEqual(["", full, ""]);
    const migrated: VolumeObjects = { csiNodes: [csiNode("b", 1)] };
    expect(check(inTree("EBSLimits", migrated), disks(2, ebsDisk), limit)).toEqual(["", "", ""]);
    expect(check(nodeVolumeLimits(volumesOf(migrated)), disks(2, ebsDisk), limit)).toEqual(["", full, ""]);
  });

  test("the environment's limit of in-tree disks takes the place of the default, but not of the node's own limit", () => {
    const ofNode = { "attachable-volumes-aws-ebs": "2" };
    expect(check(inTree("EBSLimits", {}, 1), disks(1, ebsDisk))).toEqual(["", "", ""]);
    expect(check(inTree("EBSLimits", {}, 1), disks(2, ebsDisk))).toEqual([full, full, full]);
    expect(check(inTree("EBSLimits", {}, 1), disks(2, ebsDisk), ofNode)).toEqual([full, "", full]);
  });

  test.each<[string | undefined, number | undefined, number]>([
    [undefined, undefined, 0],
    ["", undefined, 0],
    ["7", 7, 0],
    ["0", undefined, 1],
    ["-1", undefined, 1],
    ["7.5", undefined, 1],
    ["many", undefined, 1],
  ])("ORCH_MAX_PD_VOLS=%s is a limit of %s, with %i warnings", (text, want, warnings) => {
    const warn = vi.fn();
    expect(maxVolumesOf({ ORCH_MAX_PD_VOLS: text }, { warn })).toBe(want);
    expect(warn).toHaveBeenCalledTimes(warnings);
  });

  test("Compute Engine disks count for their driver if the agent has migrated the plugin", () => {
    const limit = { "attachable-volumes-gce-pd": "1" };
    expect(check(inTree("GCEPDLimits", { csiNodes: [csiNode("b", 1)] }), disks(2, gceDisk), limit)).toEqual([
      "",
      full,
      "",
    ]);
    const migrated: VolumeObjects = { csiNodes: [csiNode("b", 1, "orchernetes.io/gce-pd")] };
    expect(check(inTree("GCEPDLimits", migrated), disks(2, gceDisk), limit)).toEqual(["", "", ""]);
  });

  test("a disk that is used both as an in-tree volume and as a volume of its driver counts once", () => {
    const cluster = volumesOf({
      claims: [boundClaim("c1", "v1"), boundClaim("c2", "v2")],
      volumes: [
        volume("v1", csi("vol-1", "ebs.csi.aws.com")),
        volume("v2", { source: { awsElasticBlockStore: { volumeID: "aws://z/vol-1" } } }),
      ],
      csiNodes: [csiNode("a", 1)],
    });
    expect(check(nodeVolumeLimits(cluster), podUsing("c2"))).toEqual(["", "", ""]);
  });

  test.each<[string, number, (id: string) => Partial<core.Volume>, string]>([
    ["EBSLimits", 39, ebsDisk, ""],
    ["EBSLimits", 25, ebsDisk, "m5.large"],
    ["GCEPDLimits", 16, gceDisk, ""],
    ["AzureDiskLimits", 16, (id) => ({ azureDisk: { diskName: id, diskURI: id } }), ""],
    ["CinderLimits", 256, (id) => ({ cinder: { volumeID: id } }), ""],
  ])("%s: a node has at most %i disks", (name, most, source, type) => {
    const machine = node("a").labels(type === "" ? {} : { "node.orchernetes.io/instance-type": type });
    const verdict = (count: number) => verdictsOf(inTree(name), disks(count, source), tableOf([machine], []));
    expect(verdict(most)).toEqual([""]);
    expect(verdict(most + 1)).toEqual([full]);
  });
});
