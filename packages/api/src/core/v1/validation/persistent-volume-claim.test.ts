import type { StrategyContext } from "@orchernetes/apimachinery";
import { expect, test } from "vitest";
import { context, create, merged, subresourceStrategy, update, without } from "../../../../test/support.ts";
import { persistentVolumeClaims as claims } from "../persistent-volume-claim.ts";
import type { PersistentVolumeClaim } from "../types/persistent-volume-claim.ts";

const base = {
  metadata: { name: "c", namespace: "ns" },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "2Gi" } } },
};
const with_ = (spec: object, annotations: object = {}): unknown => merged(base, { spec, metadata: { annotations } });
const stored = (patch: object, status: object = {}): PersistentVolumeClaim =>
  merged(create(claims, merged(base, patch)).object, { status }) as PersistentVolumeClaim;
const changed = (old: PersistentVolumeClaim, patch: object, ctx: StrategyContext = context): string[] =>
  update(claims, old, merged(old, patch), undefined, ctx).errors;

const sourceClaim = { kind: "PersistentVolumeClaim", name: "other" };
const annotation = "volume.beta.orchernetes.io/storage-class";

test.each([
  ["one pod", { accessModes: ["ReadWriteOncePod"] }, []],
  [
    "one pod and more",
    { accessModes: ["ReadWriteOncePod", "ReadWriteMany"] },
    ["spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes"],
  ],
  [
    "a source of no group",
    { dataSourceRef: { kind: "Pod", name: "p" } },
    [
      "spec.dataSource: Invalid value: \"Pod\": must be 'PersistentVolumeClaim' when referencing the default apiGroup",
      "spec.dataSourceRef: Invalid value: \"Pod\": must be 'PersistentVolumeClaim' when referencing the default apiGroup",
    ],
  ],
  [
    "different sources",
    { dataSource: sourceClaim, dataSourceRef: { ...sourceClaim, name: "third" } },
    ['spec: Invalid value: "spec.dataSource": must match dataSourceRef'],
  ],
  [
    "a source elsewhere beside one here",
    { dataSource: sourceClaim, dataSourceRef: { ...sourceClaim, namespace: "there" } },
    ['spec: Invalid value: "spec.dataSource": may not be specified when dataSourceRef.namespace is specified'],
  ],
  [
    "odd namespace",
    { dataSourceRef: { ...sourceClaim, namespace: "There" } },
    [expect.stringMatching(/^spec.dataSourceRef.namespace: Invalid value: "There": a lowercase RFC 1123 label/)],
  ],
  [
    "odd group",
    { dataSourceRef: { ...sourceClaim, apiGroup: "A", namespace: "there" } },
    [expect.stringMatching(/^spec.dataSourceRef.apiGroup: Invalid value: "A": a lowercase RFC 1123 subdomain/)],
  ],
])("a claim with %s", (_, spec, want) => {
  expect(create(claims, with_(spec)).errors).toEqual(want);
});

test("ReadWriteOncePod needs its feature gate, except for claims that already use it", () => {
  const ctx = without("ReadWriteOncePod");
  const spec = { accessModes: ["ReadWriteOncePod"] };
  const want =
    'spec.accessModes: Unsupported value: "ReadWriteOncePod": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce"';
  expect(create(claims, with_(spec), undefined, ctx).errors).toEqual([want]);
  expect(changed(stored({ spec }), { metadata: { labels: { a: "b" } } }, ctx)).toEqual([]);
});

test("dataSource and dataSourceRef are synchronized where any volume data source is allowed", () => {
  const spec = { dataSource: sourceClaim };
  expect(create(claims, with_(spec)).object.spec.dataSourceRef).toEqual(sourceClaim);
  const off = create(claims, with_(spec), undefined, without("AnyVolumeDataSource")).object.spec;
  expect(off).toMatchObject(spec);
  expect(off).not.toHaveProperty("dataSourceRef");
});

const immutableSpec = /^spec: Forbidden: spec is immutable after creation except resources.requests for bound claims\n/;
const annotationAt = `metadata.annotations[${annotation}]`;

test.each([
  ["a class that comes late", {}, { spec: { storageClassName: "s" } }, []],
  ["another class", { spec: { storageClassName: "s" } }, { spec: { storageClassName: "t" } }, [immutableSpec]],
  [
    "the class of the annotation",
    { metadata: { annotations: { [annotation]: "s" } } },
    { spec: { storageClassName: "s" } },
    [],
  ],
  [
    "another class than the annotation's",
    { metadata: { annotations: { [annotation]: "s" } } },
    { spec: { storageClassName: "t" } },
    [immutableSpec],
  ],
  [
    "another annotation",
    { metadata: { annotations: { [annotation]: "s" } } },
    { metadata: { annotations: { [annotation]: "t" } } },
    [`${annotationAt}: Invalid value: "t": field is immutable`],
  ],
  ["a volume", {}, { spec: { volumeName: "v" } }, []],
  ["another volume", { spec: { volumeName: "v" } }, { spec: { volumeName: "w" } }, [immutableSpec]],
  ["growth unbound", {}, { spec: { resources: { requests: { storage: "3Gi" } } } }, [immutableSpec]],
  [
    "another mode",
    {},
    { spec: { volumeMode: "Block" } },
    [immutableSpec, 'volumeMode: Invalid value: "Block": field is immutable'],
  ],
])("update: %s", (_, before, patch, want) => {
  const texts = want.map((text) => (typeof text === "string" ? text : expect.stringMatching(text)));
  expect(changed(stored(before), patch)).toEqual(texts);
});

test("a default class is assigned to an existing claim only with its feature gate", () => {
  const ctx = without("RetroactiveDefaultStorageClass");
  const errors = changed(stored({}), { spec: { storageClassName: "s" } }, ctx);
  expect(errors).toEqual([expect.stringMatching(immutableSpec)]);
});

test.each([
  ["3Gi", context, []],
  ["1536Mi", context, []],
  ["1Gi", context, ["field can not be less than status.capacity"]],
  ["1536Mi", without("RecoverVolumeExpansionFailure"), ["field can not be less than previous value"]],
])("a bound claim of 2Gi with 1Gi asks for %s", (storage, ctx, want) => {
  const old = stored({}, { phase: "Bound", capacity: { storage: "1Gi" } });
  const errors = changed(old, { spec: { resources: { requests: { storage } } } }, ctx);
  expect(errors).toEqual(want.map((text) => `spec.resources.requests.storage: Forbidden: ${text}`));
});

test.each([
  [{ resizeStatus: "NodeExpansionPending", allocatedResources: { storage: "1Gi" } }, context, []],
  [
    { resizeStatus: "Odd", allocatedResources: { cpu: "1", storage: "-1" } },
    context,
    [
      'status.resizeStatus: Unsupported value: "Odd": supported values: "", "ControllerExpansionFailed", "ControllerExpansionInProgress", "NodeExpansionFailed", "NodeExpansionInProgress", "NodeExpansionPending"',
      'status.allocatedResources: Unsupported value: "cpu": supported values: "storage"',
      'status.allocatedResources[storage]: Invalid value: "-1": must be greater than or equal to 0',
    ],
  ],
  [{ resizeStatus: "Odd" }, without("RecoverVolumeExpansionFailure"), []],
])("status %j", (status, ctx, want) => {
  const old = stored({});
  const strategy = subresourceStrategy(claims, "status");
  expect(update(claims, old, merged(old, { status }), strategy, ctx).errors).toEqual(want);
});
