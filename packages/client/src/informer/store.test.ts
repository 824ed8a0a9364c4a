import { expect, test } from "vitest";
import { ObjectStore } from "./store.ts";

interface Thing {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly creationTimestamp: string;
  };
  readonly tags?: readonly string[];
}
const thing = (namespace: string, name: string, ...tags: readonly string[]): Thing => ({
  metadata: { namespace, name, uid: "u", resourceVersion: "1", creationTimestamp: "2024-01-01T00:00:00Z" },
  tags,
});
const byTag = { tag: ({ tags }: Thing) => tags };
const names = (things: readonly Thing[]) => things.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);

test("an object is found by its namespace and name, and a cluster-scoped one by its name", () => {
  const store = new ObjectStore<Thing>();
  store.set(thing("a", "x"));
  store.set(thing("", "x"));
  expect([store.get("a", "x")?.metadata.namespace, store.get("", "x")?.metadata.namespace]).toEqual(["a", ""]);
  expect([store.get("b", "x"), store.get("a", ""), store.byKey("x")?.metadata.namespace]).toEqual([
    undefined,
    undefined,
    "",
  ]);
  expect([...store.keys()]).toEqual(["a/x", "x"]);
});

test("the list of a namespace has its objects only, and the list of all has all", () => {
  const store = new ObjectStore<Thing>();
  for (const object of [thing("a", "x"), thing("aa", "x"), thing("a", "y"), thing("", "z")]) store.set(object);
  expect(names(store.list("a"))).toEqual(["a/x", "a/y"]);
  expect(names(store.list("none"))).toEqual([]);
  expect(store.list()).toHaveLength(4);
  expect(store.indexValues("namespace")).toEqual(["a", "aa"]);
});

test("an object that is replaced leaves the values that it no longer has", () => {
  const store = new ObjectStore<Thing>(byTag);
  expect(store.set(thing("a", "x", "red", "big"))).toBeUndefined();
  expect(store.set(thing("a", "x", "big", "blue"))?.tags).toEqual(["red", "big"]);
  expect([store.size, store.indexValues("tag")]).toEqual([1, ["big", "blue"]]);
  expect(store.byIndex("tag", "red")).toEqual([]);
  expect(store.byIndex("tag", "big").map(({ tags }) => tags)).toEqual([["big", "blue"]]);
});

test("an object that is removed leaves every index, and removing it again does nothing", () => {
  const store = new ObjectStore<Thing>(byTag);
  store.set(thing("a", "x", "red"));
  store.set(thing("a", "y", "red"));
  expect(store.delete("a/x")?.metadata.name).toBe("x");
  expect(names(store.byIndex("tag", "red"))).toEqual(["a/y"]);
  expect([store.delete("a/x"), store.size]).toEqual([undefined, 1]);
  store.delete("a/y");
  expect([store.indexValues("tag"), store.indexValues("namespace")]).toEqual([[], []]);
});

test("an index that is added later has the objects before it, and never replaces one of the same name", () => {
  const store = new ObjectStore<Thing>();
  store.set(thing("a", "x", "red"));
  store.addIndexers(byTag);
  store.addIndexers({ tag: () => "else" });
  store.set(thing("a", "y", "red"));
  expect(names(store.byIndex("tag", "red"))).toEqual(["a/x", "a/y"]);
  expect(store.byIndex("tag", "else")).toEqual([]);
});

test("an index that does not exist is an error that names those that do", () => {
  expect(() => new ObjectStore<Thing>(byTag).byIndex("toString", "x")).toThrow(/"toString".*namespace, tag/);
});
