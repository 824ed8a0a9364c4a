import { type ApiObject, keyOf, type Stored } from "@orchernetes/apimachinery";
import type { Lister } from "@orchernetes/client";
import { FakeClock } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import { AWAIT_MS, AwaitedGenerations } from "./awaited-generations.ts";

const object = (name: string, generation: number, uid = name): Stored<ApiObject> => ({
  apiVersion: "apps/v1",
  kind: "ReplicaSet",
  metadata: { name, namespace: "ns", uid, generation, resourceVersion: "1", creationTimestamp: "2024-01-01T00:00:00Z" },
});
const cacheOf = (...objects: readonly Stored<ApiObject>[]): Lister<ApiObject> =>
  ({ byKey: (key: string) => objects.find((found) => keyOf(found) === key) }) as Lister<ApiObject>;

test("an update is seen with its generation or a later one, or when the object is gone", () => {
  const awaited = new AwaitedGenerations();
  awaited.wrote("ns/d", object("r", 2), "update");
  expect(awaited.areSeen("ns/d", cacheOf(object("r", 1)))).toBe(false);
  expect(awaited.areSeen("ns/other", cacheOf(object("r", 1)))).toBe(true);
  expect(awaited.areSeen("ns/d", cacheOf(object("r", 2)))).toBe(true);
  awaited.wrote("ns/d", object("r", 3), "update");
  expect(awaited.areSeen("ns/d", cacheOf(object("r", 5)))).toBe(true);
  awaited.wrote("ns/d", object("r", 6), "update");
  expect(awaited.areSeen("ns/d", cacheOf(object("r", 1, "another")))).toBe(true);
  awaited.wrote("ns/d", object("r", 6), "update");
  expect(awaited.areSeen("ns/d", cacheOf())).toBe(true);
});

test("all writes for an owner are awaited", () => {
  const awaited = new AwaitedGenerations();
  awaited.wrote("ns/d", object("a", 2), "update");
  awaited.wrote("ns/d", object("b", 2), "update");
  expect(awaited.areSeen("ns/d", cacheOf(object("a", 2), object("b", 1)))).toBe(false);
  expect(awaited.areSeen("ns/d", cacheOf(object("a", 1), object("b", 2)))).toBe(true);
});

test("a creation is awaited until it is seen, the owner is deleted, or the time is over", () => {
  const clock = new FakeClock();
  const awaited = new AwaitedGenerations(clock);
  awaited.wrote("ns/d", object("r", 1, "new"), "create");
  expect(awaited.areSeen("ns/d", cacheOf())).toBe(false);
  expect(awaited.areSeen("ns/d", cacheOf(object("r", 4, "old")))).toBe(false);
  expect(awaited.areSeen("ns/d", cacheOf(object("r", 1, "new")))).toBe(true);
  awaited.wrote("ns/d", object("r", 1, "new"), "create");
  awaited.delete("ns/d");
  expect(awaited.areSeen("ns/d", cacheOf())).toBe(true);
  awaited.wrote("ns/d", object("r", 1, "new"), "create");
  clock.advance(AWAIT_MS);
  expect(awaited.areSeen("ns/d", cacheOf())).toBe(true);
});
