import { describe, expect, test } from "vitest";
import { capManagers, maxUpdateManagers } from "./cap-managers.ts";
import { pathSet, pathsOf } from "./field-set.ts";
import { type Manager, managerKey } from "./managers.ts";

/** An updater that owns one field named after it. */
const updater = (name: string, minute: number, fields: Partial<Manager> = {}): Manager => ({
  name,
  operation: "Update",
  apiVersion: "v1",
  subresource: "",
  time: `2020-01-01T00:${String(minute).padStart(2, "0")}:00Z`,
  fields: pathSet(`f:${name}`),
  ...fields,
});
const many = (count: number, fields: Partial<Manager> = {}): readonly Manager[] =>
  Array.from({ length: count }, (_, i) => updater(`m${i}`, i, fields));
const capped = (...managers: readonly Manager[]): readonly Manager[] => [
  ...capManagers(new Map(managers.map((manager) => [managerKey(manager), manager]))).values(),
];
const ancient = (managers: readonly Manager[]) => managers.filter(({ name }) => name === "ancient-changes");

test("ten updaters are kept as they are", () => {
  const ten = many(maxUpdateManagers);
  expect(maxUpdateManagers).toBe(10);
  expect(capped(...ten)).toEqual(ten);
});

test("of eleven updaters the two oldest become one entry, with the time of the newer of them", () => {
  const after = capped(...many(11).toReversed());
  expect(after).toHaveLength(10);
  expect(ancient(after)).toEqual([{ ...updater("ancient-changes", 1), fields: { "f:m0": {}, "f:m1": {} } }]);
  expect(after.map(({ name }) => name)).not.toContain("m1");
  expect(after.map(({ name }) => name)).toContain("m2");
});

test("no field is lost, however many updaters there are", () => {
  const all = many(60);
  const after = capped(...all);
  expect(after).toHaveLength(10);
  expect(after.flatMap(({ fields }) => pathsOf(fields)).sort()).toEqual(
    all.flatMap(({ fields }) => pathsOf(fields)).sort(),
  );
});

test("the entry of former changes takes further ones in", () => {
  const before = updater("ancient-changes", 0, { fields: pathSet("f:old") });
  const after = capped(before, ...many(10).map((one, i) => updater(one.name, i + 1)));
  expect(after).toHaveLength(10);
  expect(ancient(after)).toEqual([{ ...updater("ancient-changes", 1), fields: { "f:old": {}, "f:m0": {} } }]);
});

test("the entry of former changes is not merged with itself if it is not the oldest", () => {
  const before = updater("ancient-changes", 2, { fields: pathSet("f:old") });
  const after = capped(...many(13), before);
  expect(after).toHaveLength(10);
  expect(Object.keys(ancient(after)[0]?.fields ?? {})).toContain("f:old");
  expect(after.flatMap(({ fields }) => pathsOf(fields))).toHaveLength(14);
});

describe("what is not merged", () => {
  test("appliers are kept, and do not count", () => {
    const appliers = many(20).map((one) => ({ ...one, operation: "Apply" as const }));
    const ten = many(10);
    expect(capped(...appliers, ...ten)).toHaveLength(30);
    const after = capped(...appliers, ...many(12));
    expect(after.filter(({ operation }) => operation === "Apply")).toEqual(appliers);
    expect(after).toHaveLength(30);
  });

  test("versions are merged each on their own, because their paths have different meanings", () => {
    const beta = many(6, { apiVersion: "v1beta1" });
    const after = capped(...many(6), ...beta);
    expect(after).toHaveLength(10);
    for (const { apiVersion } of ancient(after)) expect(["v1", "v1beta1"]).toContain(apiVersion);
    expect(ancient(after)).toHaveLength(2);
  });

  test("a version with a single updater leaves nothing to merge it with", () => {
    const eleven = Array.from({ length: 11 }, (_, i) => updater("m", i, { apiVersion: `v${i}` }));
    expect(capped(...eleven)).toEqual(eleven);
  });
});

test("updaters without a time are the oldest", () => {
  const after = capped(...many(10), updater("unknown", 59, { time: undefined }));
  expect(Object.keys(ancient(after)[0]?.fields ?? {}).sort()).toEqual(["f:m0", "f:unknown"]);
});
