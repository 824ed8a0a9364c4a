import type { core } from "@orchernetes/api";
import { type VolumeSketch, volume } from "@orchernetes/testkit";
import { expect, test } from "vitest";
import { driverOfPlugin, isMigratedOn, migratedPluginOf } from "./migrated-plugins.ts";
import { translateInlineVolume, translateVolume } from "./translate-volume.ts";

const zone = "topology.orchernetes.io/zone";
const betaZone = "failure-domain.beta.orchernetes.io/zone";
const betaRegion = "failure-domain.beta.orchernetes.io/region";
const cinder = { cinder: { volumeID: "id", fsType: "xfs" } };
const ebs = (volumeID: string): Partial<core.PersistentVolumeSpec> => ({ awsElasticBlockStore: { volumeID } });
const gce = { gcePersistentDisk: { pdName: "d", partition: 2, readOnly: true } };
const share: core.AzureFilePersistentVolumeSource = {
  secretName: "azure-storage-account-acc-secret",
  shareName: "s",
};
const disk: core.AzureDiskVolumeSource = {
  diskName: "d",
  diskURI: "/subscriptions/d",
  fsType: "ext4",
  kind: "Managed",
};

test.each<[string, VolumeSketch, core.CSIPersistentVolumeSource]>([
  [
    "EBS",
    { source: ebs("vol-1") },
    { driver: "ebs.csi.aws.com", volumeHandle: "vol-1", volumeAttributes: { partition: "0" } },
  ],
  [
    "EBS with a zone",
    { source: ebs("aws://eu-1a/vol-1/") },
    { driver: "ebs.csi.aws.com", volumeHandle: "vol-1", volumeAttributes: { partition: "0" } },
  ],
  [
    "Compute Engine",
    { source: gce, labels: { [zone]: "eu-west-a" } },
    {
      driver: "pd.csi.storage.gke.io",
      volumeHandle: "projects/UNSPECIFIED/zones/eu-west-a/disks/d",
      readOnly: true,
      volumeAttributes: { partition: "2" },
    },
  ],
  [
    "Compute Engine, of a region",
    { source: gce, labels: { [betaZone]: "eu-west-a__eu-west-b" } },
    {
      driver: "pd.csi.storage.gke.io",
      volumeHandle: "projects/UNSPECIFIED/regions/eu-west/disks/d",
      readOnly: true,
      volumeAttributes: { partition: "2" },
    },
  ],
  ["Cinder", { source: cinder }, { driver: "cinder.csi.openstack.org", volumeHandle: "id", fsType: "xfs" }],
  [
    "vSphere",
    { source: { vsphereVolume: { volumePath: "[ds] p.vmdk", storagePolicyName: "gold" } } },
    {
      driver: "csi.vsphere.vmware.com",
      volumeHandle: "[ds] p.vmdk",
      volumeAttributes: { storagepolicyname: "gold" },
    },
  ],
  [
    "Azure disk",
    { source: { azureDisk: { ...disk, cachingMode: "ReadOnly", readOnly: true } } },
    {
      driver: "disk.csi.azure.com",
      volumeHandle: "/subscriptions/d",
      readOnly: true,
      fsType: "ext4",
      volumeAttributes: { kind: "Managed", cachingmode: "ReadOnly", fstype: "ext4" },
    },
  ],
  [
    "Azure file",
    {
      source: { azureFile: share },
      claim: "c",
      annotations: { "orchernetes.io/azure-file-resource-group": "rg" },
    },
    {
      driver: "file.csi.azure.com",
      volumeHandle: "rg#acc#s#v#ns",
      volumeAttributes: { sharename: "s" },
      nodeStageSecretRef: { name: share.secretName, namespace: "ns" },
    },
  ],
  [
    "Azure file, with another secret",
    { source: { azureFile: { ...share, secretName: "own", secretNamespace: "other" } } },
    {
      driver: "file.csi.azure.com",
      volumeHandle: "#own#s#v#other",
      volumeAttributes: { sharename: "s" },
      nodeStageSecretRef: { name: "own", namespace: "other" },
    },
  ],
])("a volume of %s is one of its driver", (_, sketch, csi) => {
  const { spec } = translateVolume(volume("v", sketch));
  expect(spec.csi).toEqual(csi);
  expect(Object.keys(spec)).not.toContain(Object.keys(sketch.source ?? {})[0]);
  expect(migratedPluginOf(spec)).toBeUndefined();
});

test.each<[VolumeSketch, string]>([
  [{ source: ebs("aws://z") }, "Invalid format for AWS volume (aws://z)"],
  [{ source: ebs("aws://z/disk-1") }, "Invalid format for AWS volume (aws://z/disk-1)"],
  [{ source: gce, labels: { [zone]: "a__b" } }, "zone in unexpected format"],
  [{ source: gce, labels: { [zone]: "eu-west-a__us-east-a" } }, "multiple or no regions gotten from zones"],
  [{ source: { azureDisk: { ...disk, kind: "Shared" } } }, "kind(Shared) is not supported in csi migration"],
  [{ source: { azureFile: share } }, "could not find a secret namespace"],
])("a volume that the driver cannot have: %j", (sketch, message) => {
  expect(() => translateVolume(volume("v", sketch))).toThrow(message);
});

test("a volume of another kind stays as it is", () => {
  const plain = volume("v");
  expect(translateVolume(plain)).toBe(plain);
  expect(translateInlineVolume({ name: "d", emptyDir: {} }, "ns")).toBeUndefined();
});

const affinity = (...requirements: readonly (readonly [key: string, ...values: string[]])[]) => ({
  nodeAffinity: {
    required: {
      nodeSelectorTerms: [
        {
          matchExpressions: requirements.map(([key, ...values]) => ({ key, operator: "In" as const, values })),
        },
      ],
    },
  },
});
const own = "topology.cinder.csi.openstack.org/zone";
const vsphere = { vsphereVolume: { volumePath: "p" } };

test.each<[string, VolumeSketch, Partial<core.PersistentVolumeSpec> | undefined]>([
  ["of no zone", { source: cinder }, undefined],
  ["of a zone by its label", { source: cinder, labels: { [zone]: "b__a__ " } }, affinity([own, "a", "b"])],
  ["with an empty label", { source: cinder, labels: { [zone]: "" } }, undefined],
  [
    "of a zone by affinity",
    { source: { ...cinder, ...affinity([zone, "a"]) }, labels: { [zone]: "b" } },
    affinity([own, "a"]),
  ],
  [
    "of a zone by the older labels",
    { source: { ...cinder, ...affinity([betaZone, "a"], [betaRegion, "r"], ["k", "v"]) } },
    affinity([own, "a"], ["topology.orchernetes.io/region", "r"], ["k", "v"]),
  ],
  [
    "of a zone by its label, with an affinity for something else",
    { source: { ...cinder, ...affinity(["k", "v"]) }, labels: { [betaZone]: "a" } },
    affinity(["k", "v"], [own, "a"]),
  ],
  [
    "of a zone and a region of vSphere",
    { source: vsphere, labels: { [betaZone]: "a__b", [betaRegion]: "r" } },
    affinity(["topology.csi.vmware.com/zone", "a__b"], ["topology.csi.vmware.com/region", "r"]),
  ],
  ["of a kind without zones", { source: { azureDisk: disk }, labels: { [zone]: "a" } }, undefined],
])("a volume %s has the affinity in its driver's labels", (_, sketch, want) => {
  expect(translateVolume(volume("v", sketch)).spec.nodeAffinity).toEqual(want?.nodeAffinity);
});

test.each<[NonNullable<VolumeSketch["modes"]>, readonly string[]]>([
  [["ReadWriteMany"], ["ReadWriteOnce"]],
  [["ReadOnlyMany", "ReadWriteOnce"], ["ReadWriteOnce"]],
  [["ReadOnlyMany"], ["ReadOnlyMany"]],
  [[], ["ReadWriteOnce"]],
])("access modes %j of a disk of Compute Engine are %j for its driver", (modes, want) => {
  expect(translateVolume(volume("v", { source: gce, modes })).spec.accessModes).toEqual(want);
});

test.each<[Partial<core.Volume>, string, string, string]>([
  [{ awsElasticBlockStore: { volumeID: "aws:///vol-1" } }, "ebs.csi.aws.com-vol-1", "vol-1", "ReadWriteOnce"],
  [gce, "pd.csi.storage.gke.io-d", "projects/UNSPECIFIED/zones/UNSPECIFIED/disks/d", "ReadOnlyMany"],
  [cinder, "cinder.csi.openstack.org-id", "id", "ReadWriteOnce"],
  [vsphere, "csi.vsphere.vmware.com-p", "p", "ReadWriteOnce"],
  [{ azureDisk: disk }, disk.diskURI, disk.diskURI, "ReadWriteOnce"],
  [{ azureFile: { secretName: "x", shareName: "s" } }, "#x#s#d#ns", "#x#s#d#ns", "ReadWriteMany"],
])("the volume of a pod %j is called %s", (source, name, volumeHandle, mode) => {
  expect(translateInlineVolume({ name: "d", ...source }, "ns")).toMatchObject({
    name,
    spec: { csi: { volumeHandle }, accessModes: [mode], volumeMode: "Filesystem" },
  });
});

test("a node says which plugins its agent leaves to drivers", () => {
  const plugin = "orchernetes.io/gce-pd";
  const { metadata } = volume("n", { annotations: { "storage.alpha.orchernetes.io/migrated-plugins": `a,${plugin}` } });
  expect(isMigratedOn({ metadata, spec: { drivers: [] } }, plugin)).toBe(true);
  expect(isMigratedOn({ metadata, spec: { drivers: [] } }, "orchernetes.io/cinder")).toBe(false);
  expect(isMigratedOn(undefined, plugin)).toBe(false);
  expect(driverOfPlugin(plugin)).toBe("pd.csi.storage.gke.io");
});
