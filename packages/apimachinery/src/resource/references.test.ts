import { describe, expect, test } from "vitest";
import { parseApiVersion } from "./group-version-kind.ts";
import { listSchemaOf } from "./list.ts";
import type { OwnerReference } from "./object-meta.ts";
import { DeleteOptions, Preconditions } from "./object-meta.ts";
import { controllerOf, controllerRef, isControlledBy } from "./owner-references.ts";

test.each([
  ["v1", { group: "", version: "v1" }],
  ["apps/v1", { group: "apps", version: "v1" }],
  ["a.b.io/v1beta1", { group: "a.b.io", version: "v1beta1" }],
  ["", { group: "", version: "" }],
  ["/", { group: "", version: "" }],
  ["/v1", { group: "", version: "v1" }],
  ["apps/", { group: "apps", version: "" }],
  ["a/b/c", undefined],
  ["//", undefined],
])("the API version %j has the parts %j", (text, parts) => {
  expect(parseApiVersion(text)).toEqual(parts);
});

const owner = { metadata: { name: "web", uid: "u1" } };
const ref = { group: "apps", version: "v1", kind: "ReplicaSet" };
const reference = (fields: Partial<OwnerReference>): OwnerReference => ({
  apiVersion: "apps/v1",
  kind: "ReplicaSet",
  name: "web",
  uid: "u1",
  ...fields,
});
const owned = (...ownerReferences: readonly OwnerReference[]) => ({ metadata: { name: "p", ownerReferences } });

describe("the owner that controls an object", () => {
  test("is written with its version and blocks the deletion of the owner", () => {
    expect(controllerRef(ref, owner)).toEqual({
      apiVersion: "apps/v1",
      kind: "ReplicaSet",
      name: "web",
      uid: "u1",
      controller: true,
      blockOwnerDeletion: true,
    });
    expect(controllerRef({ group: "", version: "v1", kind: "Pod" }, owner).apiVersion).toBe("v1");
  });

  test("is not any owner", () => {
    expect(controllerOf(owned())).toBeUndefined();
    expect(controllerOf({ metadata: {} })).toBeUndefined();
    expect(controllerOf(owned(reference({}), reference({ controller: false })))).toBeUndefined();
    expect(controllerOf(owned(reference({ uid: "u2" }), reference({ uid: "u3", controller: true })))?.uid).toBe("u3");
  });

  test("is known by its uid, not by its name", () => {
    expect(isControlledBy(owned(controllerRef(ref, owner)), owner)).toBe(true);
    expect(isControlledBy(owned(controllerRef(ref, owner)), { metadata: { name: "web", uid: "u9" } })).toBe(false);
    expect(isControlledBy(owned(reference({})), owner)).toBe(false);
  });

  test("is not an owner without a uid, to which an object without owners would seem to belong", () => {
    expect(isControlledBy(owned(), { metadata: { name: "web" } })).toBe(false);
  });
});

test("a schema has one list schema, whose kind ends in List", () => {
  const list = listSchemaOf(DeleteOptions as never);
  expect(list.name).toBe("DeleteOptionsList");
  expect(listSchemaOf(DeleteOptions as never, "Other")).toBe(list);
  expect(listSchemaOf(Preconditions as never)).not.toBe(list);
});
