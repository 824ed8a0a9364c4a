import { parseFieldSelector, parseLabelSelector, type ResourceDefinition } from "@orchernetes/apimachinery";
import type { CacheEntry } from "@orchernetes/storage";
import { expect, test } from "vitest";
import { selectionOf } from "./selection.ts";

const pods = { indexedFields: ["spec.nodeName"] } as unknown as ResourceDefinition;
const entry = {
  name: "x",
  namespace: "a",
  fields: { "spec.nodeName": "n", "status.phase": "Running" },
  labels: { app: "web", tier: "front" },
} as unknown as CacheEntry;

function select(
  fields?: string,
  labels?: string,
  target: { readonly namespace?: string; readonly name?: string } = {},
) {
  const of = fields === undefined ? undefined : parseFieldSelector(fields);
  return selectionOf(pods, target, labels === undefined ? undefined : parseLabelSelector(labels), of);
}

test.each([
  [{}, { unfiltered: true }],
  [{ namespace: "a" }, { namespace: "a", unfiltered: true }],
  [
    { namespace: "a", name: "x" },
    { namespace: "a", name: "x", unfiltered: false },
  ],
  [{ name: "x" }, { name: "x", unfiltered: false }],
])("without selectors %j is looked up, and nothing is examined", (target, want) => {
  expect(select(undefined, undefined, target)).toEqual(want);
});

test.each([
  ["metadata.name=x", true],
  ["metadata.name!=x", false],
  ["metadata.namespace=a", true],
  ["metadata.namespace=b", false],
  ["status.phase=Running", true],
  ["status.phase!=Running", false],
  ["status.phase=Running,spec.nodeName=n", true],
  ["status.phase=Running,spec.nodeName=m", false],
  ["spec.nodeName=n,spec.nodeName=m", false],
  ["spec.missing=", true],
  ["spec.missing!=x", true],
  ["spec.missing=x", false],
])("the field selector %s matches: %s", (fields, want) => {
  expect(select(fields).matches?.(entry)).toBe(want);
});

test.each([
  ["app=web", true],
  ["app=web,tier=back", false],
  ["app in (web,db)", true],
  ["app notin (web,db)", false],
  ["!app", false],
  ["other!=x", true],
])("the label selector %s matches: %s", (labels, want) => {
  expect(select(undefined, labels).matches?.(entry)).toBe(want);
});

test("both selectors must match", () => {
  expect(select("metadata.name=x", "app=web").matches?.(entry)).toBe(true);
  expect(select("metadata.name=x", "app=db").matches?.(entry)).toBe(false);
  expect(select("metadata.name=y", "app=web").matches?.(entry)).toBe(false);
});

test.each([
  ["spec.nodeName=n", { field: "spec.nodeName", value: "n" }],
  ["status.phase=Running,spec.nodeName=n", { field: "spec.nodeName", value: "n" }],
  ["spec.nodeName!=n", undefined],
  ["status.phase=Running", undefined],
])("the field selector %s uses the index for %j", (fields, want) => {
  expect(select(fields).fieldIndex).toEqual(want);
});

test.each([
  ["app=web", { key: "app", value: "web" }],
  ["app==web", { key: "app", value: "web" }],
  ["app in (web)", { key: "app", value: "web" }],
  ["app,tier=front", { key: "tier", value: "front" }],
  ["app in (web,db)", undefined],
  ["app!=web", undefined],
  ["app notin (web)", undefined],
  ["app", undefined],
  ["!app", undefined],
  ["app=", { key: "app", value: "" }],
])("the label selector %s uses the index for %j", (labels, want) => {
  expect(select(undefined, labels).label).toEqual(want);
});

test("a selector for a name or namespace is a lookup, the path's own come first, and what the selector says still counts", () => {
  expect(select("metadata.name=x,metadata.namespace=a")).toMatchObject({ name: "x", namespace: "a" });
  const other = select("metadata.name=x,metadata.namespace=a", undefined, { namespace: "b", name: "y" });
  expect(other).toMatchObject({ name: "y", namespace: "b", unfiltered: false });
  expect(other.matches?.({ ...entry, name: "y", namespace: "b" } as CacheEntry)).toBe(false);
});
