import { expect, test } from "vitest";
import { aggregate } from "../field-errors/field.ts";
import type { ObjectMeta } from "../resource/object-meta.ts";
import { validateObjectMeta, validateObjectMetaUpdate } from "./object-meta.ts";

const owner = { apiVersion: "v1", kind: "Pod", name: "p", uid: "u" };
const good: ObjectMeta = { name: "a", namespace: "ns" };
const fieldsOf = (errors: readonly { field: string }[]) => errors.map((error) => error.field);

test("accepts usual metadata", () => {
  const meta: ObjectMeta = {
    ...good,
    generateName: "a-",
    labels: { "app.example.com/x": "1" },
    annotations: { "UPPER.example.com/x": "anything goes" },
    finalizers: ["orchernetes", "example.com/f"],
    ownerReferences: [{ ...owner, controller: true }],
    managedFields: [{ manager: "m", operation: "Apply", fieldsType: "FieldsV1" }],
  };
  expect(validateObjectMeta(meta, { namespaced: true })).toEqual([]);
});

test.each<[string, ObjectMeta, boolean, string[]]>([
  ["no name", { namespace: "ns" }, true, ["metadata.name"]],
  ["no namespace", { name: "a" }, true, ["metadata.namespace"]],
  ["namespace of a cluster-scoped kind", good, false, ["metadata.namespace"]],
  ["bad generateName", { ...good, generateName: "Bad_" }, true, ["metadata.generateName"]],
  ["negative generation", { ...good, generation: -1 }, true, ["metadata.generation"]],
  ["bad label", { ...good, labels: { "bad key": "bad value" } }, true, ["metadata.labels", "metadata.labels"]],
  ["large annotations", { ...good, annotations: { a: "x".repeat(262144) } }, true, ["metadata.annotations"]],
  ["finalizer without domain", { ...good, finalizers: ["noslash"] }, true, ["metadata.finalizers[0]"]],
  [
    "both deletion finalizers",
    { ...good, finalizers: ["orphan", "foregroundDeletion"] },
    true,
    ["metadata.finalizers"],
  ],
  [
    "empty owner",
    { ...good, ownerReferences: [{ apiVersion: "", kind: "", name: "", uid: "" }] },
    true,
    ["apiVersion", "kind", "name", "uid"].map((name) => `metadata.ownerReferences.${name}`),
  ],
  ["event as owner", { ...good, ownerReferences: [{ ...owner, kind: "Event" }] }, true, ["metadata.ownerReferences"]],
  [
    "two controllers",
    {
      ...good,
      ownerReferences: [
        { ...owner, controller: true },
        { ...owner, controller: true },
      ],
    },
    true,
    ["metadata.ownerReferences"],
  ],
  [
    "odd managed fields",
    { ...good, managedFields: [{ operation: "Odd", fieldsType: "V2", manager: "a\n", subresource: "s".repeat(257) }] },
    true,
    ["operation", "fieldsType", "manager", "subresource"].map((name) => `metadata.managedFields[0].${name}`),
  ],
])("refuses %s", (_, meta, namespaced, fields) => {
  expect(fieldsOf(validateObjectMeta(meta, { namespaced }))).toEqual(fields);
});

test.each([
  ["dns-label", "a.b", false],
  ["dns-subdomain", "a.b", true],
  ["dns-1035-label", "1a", false],
  ["path", "system:x", true],
  ["path", "a/b", false],
  [(name: string) => (name === "odd" ? [] : ["must be odd"]), "odd", true],
  [(name: string) => (name === "odd" ? [] : ["must be odd"]), "even", false],
] as const)("name format %s on %s", (nameFormat, name, ok) => {
  expect(validateObjectMeta({ name }, { namespaced: false, nameFormat }).length === 0).toBe(ok);
});

test("an owner that is an Event is shown as a literal", () => {
  const meta = { ...good, ownerReferences: [{ apiVersion: "v1", kind: "Event", name: "e", uid: "1" }] };
  expect(aggregate(validateObjectMeta(meta, { namespaced: true }))).toBe(
    'metadata.ownerReferences: Invalid value: v1.OwnerReference{APIVersion:"v1", Kind:"Event", Name:"e", UID:"1", Controller:(*bool)(nil), BlockOwnerDeletion:(*bool)(nil)}: /v1, Kind=Event is disallowed from being an owner',
  );
});

const stored: ObjectMeta = {
  ...good,
  uid: "u1",
  resourceVersion: "5",
  generation: 2,
  creationTimestamp: "2020-01-01T00:00:00Z",
};
const dying: ObjectMeta = { ...stored, deletionTimestamp: "2030-01-01T00:00:00Z", finalizers: ["example.com/a"] };

test.each<[string, ObjectMeta, ObjectMeta, string]>([
  [
    "no version",
    { ...stored, resourceVersion: "" },
    stored,
    'metadata.resourceVersion: Invalid value: "": must be specified for an update',
  ],
  ["uid", { ...stored, uid: "u2" }, stored, 'metadata.uid: Invalid value: "u2": field is immutable'],
  ["name", { ...stored, name: "b" }, stored, 'metadata.name: Invalid value: "b": field is immutable'],
  [
    "generation",
    { ...stored, generation: 1 },
    stored,
    "metadata.generation: Invalid value: 1: must not be decremented",
  ],
  [
    "deletionTimestamp",
    { ...stored, deletionTimestamp: "2030-01-01T00:00:00Z" },
    stored,
    "metadata.deletionTimestamp: Invalid value: 2030-01-01 00:00:00 +0000 UTC: field is immutable",
  ],
  [
    "new finalizer while dying",
    { ...dying, finalizers: ["example.com/a", "example.com/b"] },
    dying,
    'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"example.com/b"}',
  ],
])("update refuses %s", (_, next, old, want) => {
  expect(aggregate(validateObjectMetaUpdate(next, old))).toBe(want);
});

test("update accepts what may change", () => {
  expect(validateObjectMetaUpdate({ ...stored, labels: { a: "b" }, generation: 3 }, stored)).toEqual([]);
  expect(validateObjectMetaUpdate({ ...dying, finalizers: [] }, dying)).toEqual([]);
});
