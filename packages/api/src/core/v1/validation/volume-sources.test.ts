import { expect, test } from "vitest";
import { create } from "../../../../test/support.ts";
import { pods } from "../pod.ts";

const errorsOf = (source: object, spec: object = {}): string[] =>
  create(pods, {
    metadata: { name: "p", namespace: "ns" },
    spec: { containers: [{ name: "c", image: "i" }], volumes: [{ name: "v", ...source }], ...spec },
  }).errors;

const iscsi = { targetPortal: "t", iqn: "iqn.2020-01.com.example:disk", lun: 0 };
const azure = { diskName: "d", diskURI: "https://a.blob.core.windows.net/c/d.vhd" };

test.each([
  [{ iscsi }, []],
  [{ iscsi: { ...iscsi, iqn: "iqn.20-01.com" } }, ['iscsi.iqn: Invalid value: "iqn.20-01.com": must be valid format']],
  [
    { iscsi: { ...iscsi, iqn: "x" } },
    ['iscsi.iqn: Invalid value: "x": must be valid format starting with iqn, eui, or naa'],
  ],
  [{ iscsi: { ...iscsi, initiatorName: "eui.0123456789abcdef" } }, []],
  [
    { iscsi: { ...iscsi, initiatorName: "naa.1" } },
    ['iscsi.initiatorname: Invalid value: "naa.1": must be valid format'],
  ],
  [{ iscsi: { ...iscsi, lun: 256 } }, ["iscsi.lun: Invalid value: 256: must be between 0 and 255, inclusive"]],
  [{ iscsi: { ...iscsi, chapAuthSession: true } }, ["iscsi.secretRef: Required value"]],
  [{ azureDisk: azure }, []],
  [
    { azureDisk: { ...azure, kind: "Managed" } },
    [
      `azureDisk.diskURI: Unsupported value: "${azure.diskURI}": supported values: "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}"`,
    ],
  ],
  [
    { azureDisk: { ...azure, diskURI: "d" } },
    [
      'azureDisk.diskURI: Unsupported value: "d": supported values: "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"',
    ],
  ],
  [
    { quobyte: { registry: "a:1,b:2", volume: "v", tenant: "x".repeat(65) } },
    ["quobyte.tenant: Required value: must be a UUID and may not exceed a length of 64 characters"],
  ],
  [
    { quobyte: { registry: "a", volume: "v" } },
    ['quobyte.registry: Invalid value: "a": must be a host:port pair or multiple pairs separated by commas'],
  ],
  [
    { fc: { targetWWNs: ["a"], wwids: ["b"], lun: 0 } },
    ['fc.targetWWNs: Invalid value: []string{"a"}: targetWWNs and wwids can not be specified simultaneously'],
  ],
  [{ fc: { targetWWNs: ["a"] } }, ["fc.lun: Required value: lun is required if targetWWNs is specified"]],
  [{ fc: {} }, ["fc.targetWWNs: Required value: must specify either targetWWNs or wwids, but not both"]],
  [{ nfs: { server: "s", path: "p" } }, ['nfs.path: Invalid value: "p": must be an absolute path']],
  [{ flocker: {} }, ["flocker: Required value: one of datasetName and datasetUUID is required"]],
  [{ rbd: { monitors: [], image: "" } }, ["rbd.monitors: Required value", "rbd.image: Required value"]],
  [{ cephfs: { monitors: [] } }, ["cephfs.monitors: Required value"]],
  [
    { gcePersistentDisk: { pdName: "", partition: 256 } },
    [
      "gcePersistentDisk.pdName: Required value",
      "gcePersistentDisk.partition: Invalid value: 256: must be between 0 and 255, inclusive",
    ],
  ],
  [
    { flexVolume: { driver: "d", options: { "o8s.io/a": "b" } } },
    ['flexVolume.options[o8s.io/a]: Invalid value: "o8s.io/a": orchernetes.io and o8s.io namespaces are reserved'],
  ],
  [
    { gitRepo: { repository: "", directory: "../x" } },
    ["gitRepo.repository: Required value", "gitRepo.directory: Invalid value: \"../x\": must not contain '..'"],
  ],
  [{ storageos: { volumeName: "v", secretRef: {} } }, ["storageos.secretRef.name: Required value"]],
  [{ ephemeral: {} }, ["ephemeral.volumeClaimTemplate: Required value"]],
  [{ emptyDir: {}, hostPath: { path: "/a" } }, ["hostPath: Forbidden: may not specify more than 1 volume type"]],
])("source %j", (source, want) => {
  expect(errorsOf(source)).toEqual(want.map((text) => `spec.volumes[0].${text}`));
});

test("pods with hostUsers false may not use every type of volume", () => {
  const spec = { hostUsers: false };
  expect(errorsOf({ emptyDir: {} }, spec)).toEqual([]);
  expect(errorsOf({ hostPath: { path: "/a" } }, spec)).toEqual([
    "spec.volumes[0]: Forbidden: volume type not supported when `pod.Spec.HostUsers` is false",
  ]);
});
