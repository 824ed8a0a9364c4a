import { expect, test } from "vitest";
import { json, type MessageSchema, ObjectMeta, optional, pointer, string, value } from "../index.ts";
import { fieldTracker, type TrackedObject } from "./field-tracker.ts";

const spec: MessageSchema = {
  kind: "message",
  pkg: "example.com/v1",
  name: "Spec",
  fields: () => ({ a: pointer(0, string), constructor: pointer(0, string) }),
  open: json,
  ownedAsItem: true,
};
const schema: MessageSchema = {
  kind: "message",
  pkg: "example.com/v1",
  name: "Thing",
  object: true,
  fields: () => ({
    apiVersion: optional(0, string),
    kind: optional(0, string),
    metadata: value(0, ObjectMeta),
    spec: pointer(0, spec),
  }),
};
const tracker = fieldTracker({ schema, apiVersion: "example.com/v1", kind: "Thing" });

const thing = (members: object, managedFields?: unknown): TrackedObject => ({
  apiVersion: "example.com/v1",
  kind: "Thing",
  metadata: { name: "a", ...(managedFields === undefined ? {} : { managedFields }) },
  spec: members,
});
const as = (manager: string) => ({ manager, subresource: "", time: "2026-01-01T00:00:00Z" });
const leaf = {};
const self = { ".": leaf };

function ownedBy(entries: ReturnType<typeof tracker.updated>, manager: string): unknown {
  const entry = entries?.find((one) => one.manager === manager);
  return (entry?.fieldsV1 as { "f:spec"?: unknown } | undefined)?.["f:spec"];
}

test.each([
  ["a field", { a: "x" }, { ...self, "f:a": leaf }],
  ["others", { a: "x", z: { b: 1 } }, { ...self, "f:a": leaf, "f:z": { ...self, "f:b": leaf } }],
  ["what every object has", { constructor: "x" }, { ...self, "f:constructor": leaf }],
  ["a member __proto__", JSON.parse('{"__proto__":{"b":1}}'), { ...self, "f:__proto__": { ...self, "f:b": leaf } }],
])("who creates owns %s", (_, members, want) => {
  expect(ownedBy(tracker.updated(undefined, thing(members), as("one")), "one")).toEqual(want);
});

test("an applier owns fields and other members, and gives up what it does not apply any more", () => {
  const first = tracker.applied(undefined, thing({ a: "x", z: 1, y: 2 }), as("one"), false);
  expect(ownedBy(first.managedFields, "one")).toEqual({ ...self, "f:a": leaf, "f:y": leaf, "f:z": leaf });
  const live = thing({ a: "x", z: 1, y: 2 }, first.managedFields);
  const second = tracker.applied(live, thing({ z: 1 }), as("one"), false);
  expect(second.object.spec).toEqual({ z: 1 });
});

test("applying members of other managers is a conflict", () => {
  const first = tracker.applied(undefined, thing({ z: 1 }), as("one"), false);
  const live = thing({ z: 1 }, first.managedFields);
  expect(() => tracker.applied(live, thing({ z: 2 }), as("two"), false)).toThrow('conflict with "one": .spec.z');
  expect(tracker.applied(live, thing({ constructor: "x" }), as("two"), false).object.spec).toEqual({
    z: 1,
    constructor: "x",
  });
});
