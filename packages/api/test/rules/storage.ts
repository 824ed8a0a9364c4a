import { persistentVolumes } from "../../src/core/v1/persistent-volume.ts";
import { persistentVolumeClaims } from "../../src/core/v1/persistent-volume-claim.ts";
import { csiDrivers } from "../../src/storage/v1/csi-driver.ts";
import { csiNodes } from "../../src/storage/v1/csi-node.ts";
import { csiStorageCapacities } from "../../src/storage/v1/csi-storage-capacity.ts";
import { storageClasses } from "../../src/storage/v1/storage-class.ts";
import { volumeAttachments } from "../../src/storage/v1/volume-attachment.ts";
import { without } from "../support.ts";
import { notNegative } from "../workloads.ts";
import { rulesOf } from "./rule.ts";

const spec = (more: object): object => ({ spec: more });
const modes = 'Unsupported value: "Odd": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce"';
const volumeMode = 'spec.volumeMode: Unsupported value: "Odd": supported values: "Block", "Filesystem"';
const subdomain = /^.*: Invalid value: "A": a lowercase RFC 1123 subdomain/;
const fixedSpec = /^spec: Forbidden: spec is immutable after creation except resources\.requests for bound claims\n/;
const asks = (storage: string): object => spec({ resources: { requests: { storage } } });

const c = rulesOf("PersistentVolumeClaim", persistentVolumeClaims);
export const claimRules = [
  c.rule(
    "spec.accessModes",
    c.no(spec({ accessModes: [] }), "spec.accessModes: Required value: at least 1 access mode is required"),
    c.no(spec({ accessModes: ["Odd"] }), `spec.accessModes: ${modes}`),
    c.no(
      spec({ accessModes: ["ReadWriteOncePod", "ReadWriteOnce"] }),
      "spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes",
    ),
    c.no(
      spec({ accessModes: ["ReadWriteOncePod"] }),
      /^spec\.accessModes: Unsupported value: /,
      without("ReadWriteOncePod"),
    ),
  ),
  c.rule(
    "spec.resources.requests.storage",
    c.no(spec({ resources: null }), "spec.resources[storage]: Required value"),
    c.no(asks("0"), 'spec.resources[storage]: Invalid value: "0": must be greater than zero'),
  ),
  c.rule("spec.volumeMode", c.no(spec({ volumeMode: "Odd" }), volumeMode)),
  c.rule("spec.storageClassName", c.no(spec({ storageClassName: "A" }), subdomain)),
  c.rule(
    "spec.dataSource, dataSourceRef",
    c.no(spec({ dataSourceRef: { kind: "", name: "", apiGroup: "a" } }), "spec.dataSourceRef.name: Required value"),
    c.no(
      spec({ dataSourceRef: { kind: "Pod", name: "a" } }),
      "spec.dataSourceRef: Invalid value: \"Pod\": must be 'PersistentVolumeClaim' when referencing the default apiGroup",
    ),
  ),
  c.rule(
    "update spec",
    c.free({}, spec({ volumeName: "v" })),
    c.fixed(spec({ volumeName: "v" }), spec({ volumeName: "w" }), fixedSpec),
    c.fixed({}, asks("2Gi"), fixedSpec),
    c.fixed(
      {},
      asks("1Mi"),
      "spec.resources.requests.storage: Forbidden: field can not be less than previous value",
      without("RecoverVolumeExpansionFailure"),
    ),
    c.fixed({}, spec({ storageClassName: "s" }), fixedSpec, without("RetroactiveDefaultStorageClass")),
    c.free({}, spec({ storageClassName: "s" })),
  ),
];

const v = rulesOf("PersistentVolume", persistentVolumes);
export const volumeRules = [
  v.rule(
    "spec.capacity",
    v.no(spec({ capacity: null }), "spec.capacity: Required value"),
    v.no(spec({ capacity: { storage: "0" } }), 'spec.capacity[storage]: Invalid value: "0": must be greater than zero'),
  ),
  v.rule(
    "spec.accessModes",
    v.no(spec({ accessModes: [] }), "spec.accessModes: Required value"),
    v.no(spec({ accessModes: ["Odd"] }), `spec.accessModes: ${modes}`),
  ),
  v.rule(
    "spec source",
    v.no(spec({ hostPath: null }), "spec: Required value: must specify a volume type"),
    v.no(spec({ nfs: { server: "s", path: "/a" } }), "spec.nfs: Forbidden: may not specify more than 1 volume type"),
    v.fixed(
      {},
      spec({ hostPath: { path: "/b" } }),
      /^spec\.persistentvolumesource: Forbidden: spec\.persistentvolumesource is immutable after creation\n/,
    ),
  ),
  v.rule(
    "spec.persistentVolumeReclaimPolicy",
    v.no(
      spec({ persistentVolumeReclaimPolicy: "Odd" }),
      'spec.persistentVolumeReclaimPolicy: Unsupported value: "Odd": supported values: "Delete", "Recycle", "Retain"',
    ),
    v.no(
      spec({ persistentVolumeReclaimPolicy: "Recycle", hostPath: { path: "/" } }),
      "spec.persistentVolumeReclaimPolicy: Forbidden: may not be 'recycle' for a hostPath mount of '/'",
    ),
  ),
  v.rule(
    "spec.volumeMode",
    v.no(spec({ volumeMode: "Odd" }), volumeMode),
    v.fixed({}, spec({ volumeMode: "Block" }), 'volumeMode: Invalid value: "Block": field is immutable'),
  ),
  v.rule(
    "spec.nodeAffinity",
    v.no(
      spec({ hostPath: null, local: { path: "/a" } }),
      "spec.nodeAffinity: Required value: Local volume requires node affinity",
    ),
    v.no(
      spec({ nodeAffinity: {} }),
      "spec.nodeAffinity.required: Required value: must specify required node constraints",
    ),
  ),
  v.rule("spec.claimRef", v.free({}, spec({ claimRef: { namespace: "a", name: "b" } }))),
];

const s = rulesOf("StorageClass", storageClasses);
const many = Object.fromEntries(Array.from({ length: 513 }, (_, i) => [`k${i}`, ""]));
export const storageClassRules = [
  s.rule(
    "provisioner",
    s.no({ provisioner: "" }, "provisioner: Required value"),
    s.fixed({}, { provisioner: "example.com/q" }, "provisioner: Forbidden: updates to provisioner are forbidden."),
  ),
  s.rule(
    "parameters",
    s.no({ parameters: many }, "parameters: Too long: must have at most 512 bytes"),
    s.fixed({}, { parameters: { a: "b" } }, "parameters: Forbidden: updates to parameters are forbidden."),
  ),
  s.rule(
    "reclaimPolicy",
    s.no({ reclaimPolicy: "Odd" }, 'reclaimPolicy: Unsupported value: "Odd": supported values: "Delete", "Retain"'),
    s.fixed({}, { reclaimPolicy: "Retain" }, "reclaimPolicy: Forbidden: updates to reclaimPolicy are forbidden."),
  ),
  s.rule(
    "volumeBindingMode",
    s.no(
      { volumeBindingMode: "Odd" },
      'volumeBindingMode: Unsupported value: "Odd": supported values: "Immediate", "WaitForFirstConsumer"',
    ),
    s.fixed(
      {},
      { volumeBindingMode: "WaitForFirstConsumer" },
      'volumeBindingMode: Invalid value: "WaitForFirstConsumer": field is immutable',
    ),
  ),
  s.rule(
    "allowedTopologies",
    s.no(
      {
        allowedTopologies: [
          { matchLabelExpressions: [{ key: "a", values: ["1"] }] },
          { matchLabelExpressions: [{ key: "a", values: ["1"] }] },
        ],
      },
      'allowedTopologies[1].matchLabelExpressions: Duplicate value: ""',
    ),
  ),
];

const group = "CSIDriver, CSINode, VolumeAttachment, CSIStorageCapacity";
const d = rulesOf(group, csiDrivers);
const n = rulesOf(group, csiNodes);
const a = rulesOf(group, volumeAttachments);
const f = rulesOf(group, csiStorageCapacities);
const driver = (more: object): object => spec({ drivers: [{ name: "d.example.com", nodeID: "n", ...more }] });
const inline = { accessModes: ["ReadWriteOnce"], csi: { driver: "d.example.com", volumeHandle: "h" } };
const at = "spec.source.inlineVolumeSpec";
const unfit = "may not be specified in the context of inline volumes";
const inlineVolumes: readonly (readonly [object, string])[] = [
  [{ claimRef: { name: "c" } }, `${at}.claimRef: Forbidden: ${unfit}`],
  [{ capacity: { storage: "1Gi" } }, `${at}.capacity: Forbidden: ${unfit}`],
  [{ storageClassName: "s" }, `${at}.storageClassName: Forbidden: ${unfit}`],
  [
    { persistentVolumeReclaimPolicy: "Delete" },
    `${at}.persistentVolumeReclaimPolicy: Forbidden: may only be Retain in the context of inline volumes`,
  ],
  [
    { volumeMode: "Block" },
    `${at}.volumeMode: Forbidden: may not specify volumeMode other than Filesystem in the context of inline volumes`,
  ],
  [
    { csi: null, nfs: { server: "s", path: "/" } },
    `${at}.csi: Required value: has to be specified in the context of inline volumes`,
  ],
  [{ accessModes: [] }, `${at}.accessModes: Required value`],
  [
    { accessModes: ["ReadWriteOncePod"] },
    `${at}.accessModes: Unsupported value: "ReadWriteOncePod": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce"`,
  ],
];
export const csiRules = [
  d.rule(
    "CSIDriver.spec",
    d.fixed({}, spec({ attachRequired: false }), "spec.attachedRequired: Invalid value: false: field is immutable"),
    d.fixed({}, spec({ fsGroupPolicy: "None" }), 'spec.fsGroupPolicy: Invalid value: "None": field is immutable'),
    d.no(
      spec({ volumeLifecycleModes: ["Odd"] }),
      'spec.volumeLifecycleModes: Unsupported value: "Odd": supported values: "Persistent", "Ephemeral"',
    ),
    d.no(
      spec({ tokenRequests: [{ audience: "a" }, { audience: "a", expirationSeconds: 1 }] }),
      'spec.tokenRequests[1].audience: Duplicate value: "a"',
    ),
    d.no(
      spec({ tokenRequests: [{ audience: "a", expirationSeconds: 599 }] }),
      "spec.tokenRequests[0].expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes",
    ),
  ),
  n.rule(
    "CSINode.spec.drivers[*]",
    n.no(driver({ nodeID: "" }), "spec.drivers[0].nodeID: Required value"),
    n.no(
      driver({ nodeID: "x".repeat(257) }),
      /^spec\.drivers\[0\]\.nodeID: Invalid value: "x+": must be 256 characters or less$/,
    ),
    n.no(driver({ allocatable: { count: -1 } }), notNegative("spec.drivers[0].allocatable.count")),
    n.fixed({}, driver({ nodeID: "m" }), /^CSINodeDriver: Invalid value: .*: field is immutable$/),
  ),
  a.rule(
    "VolumeAttachment.spec",
    a.no(spec({ attacher: "" }), "spec.attacher: Required value"),
    a.no(
      spec({ source: { persistentVolumeName: null } }),
      "spec.source: Required value: must specify exactly one of inlineVolumeSpec and persistentVolumeName",
    ),
    ...inlineVolumes.map(([more, error]) =>
      a.no(spec({ source: { persistentVolumeName: null, inlineVolumeSpec: { ...inline, ...more } } }), error),
    ),
    a.fixed({}, spec({ nodeName: "m" }), /^spec: Invalid value: .*: field is immutable$/),
  ),
  f.rule(
    "CSIStorageCapacity",
    f.fixed({}, { storageClassName: "t" }, 'storageClassName: Invalid value: "t": field is immutable'),
    f.fixed({}, { nodeTopology: { matchLabels: { a: "b" } } }, /^nodeTopology: Invalid value: .*: field is immutable$/),
    f.no({ capacity: "-1" }, 'capacity: Invalid value: "-1": must be greater than or equal to 0'),
  ),
];
