import { describe, expect, test } from "vitest";
import { asRevision } from "../revision.ts";
import { CacheEntry } from "./cache-entry.ts";
import { ObjectTable } from "./object-table.ts";

const TIERS = ["t0", "t1", "t2"];

function entry(key: string, revision: number, labels: Record<string, string> | undefined): CacheEntry {
  const [namespace = "", name = ""] = key.split("/");
  const node = `node-${revision % 4}`;
  const json = Buffer.from(`{"key":"${key}"}`);
  const versions = { revision: asRevision(revision), createRevision: asRevision(1) };
  return new CacheEntry({ key, namespace, name, ...versions, json, labels, fields: { node } });
}

/** Random numbers that are the same in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** A table and what it should hold, after `steps` changes of up to `names` objects in three namespaces. */
function changed(steps: number, names: number, ask: (table: ObjectTable) => void) {
  const table = new ObjectTable(["node"]);
  const model = new Map<string, CacheEntry>();
  const below = numbers(steps);
  for (let step = 1; step <= steps; step++) {
    const key = `ns${below(3)}/name${below(names)}`;
    if (below(4) === 0) {
      expect(table.delete(key)).toBe(model.get(key));
      model.delete(key);
    } else {
      const tier = TIERS[below(TIERS.length + 1)];
      const next = entry(key, step, tier === undefined ? undefined : { tier, [`own-${tier}`]: "yes" });
      expect(table.set(next)).toBe(model.get(key));
      model.set(key, next);
    }
    if (step % 97 === 0) ask(table);
  }
  const sorted = [...model.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
  return { table, sorted };
}

const prefixes = [undefined, "ns0/", "ns1/", "ns2/", "ns3/"];

describe("ObjectTable", () => {
  test.each([
    { name: "few objects", steps: 200, names: 20 },
    { name: "many objects", steps: 12_000, names: 1500 },
  ])("lists $name in order, by prefix and by field", ({ steps, names }) => {
    const { table, sorted } = changed(steps, names, () => {});
    expect(table.size).toBe(sorted.length);
    for (const prefix of prefixes) {
      const within = sorted.filter(({ key }) => prefix === undefined || key.startsWith(prefix));
      expect(table.list(prefix, undefined, undefined)).toEqual(within);
      const found = table.list(prefix, { field: "node", value: "node-2" }, undefined);
      expect(found).toEqual(within.filter(({ fields }) => fields.node === "node-2"));
    }
  });

  test("a label that is requested again is followed through all changes", () => {
    const label = { key: "tier", value: "t1" };
    const { table, sorted } = changed(12_000, 1500, (asked) => asked.list(undefined, undefined, label));
    const having = sorted.filter(({ labels }) => labels?.tier === "t1");
    expect(having.length).toBeGreaterThan(100);
    for (const prefix of prefixes) {
      const within = having.filter(({ key }) => prefix === undefined || key.startsWith(prefix));
      expect(table.list(prefix, undefined, label)).toEqual(within);
    }
  });

  test("all objects with a label are found, however often it was requested", () => {
    const { table, sorted } = changed(3000, 400, () => {});
    const keys = [...TIERS.map((tier) => `own-${tier}`), "constructor", "__proto__", ...Array(40).keys()].map(String);
    for (let times = 0; times < 3; times++) {
      for (const key of keys) {
        const label = { key, value: "yes" };
        const having = sorted.filter(({ labels }) => labels?.[key] === "yes");
        const found = table.list(undefined, undefined, label).filter(({ labels }) => labels?.[key] === "yes");
        expect(found).toEqual(having);
      }
    }
  });

  test("a result does not change later", () => {
    const label = { key: "tier", value: "t2" };
    const { table } = changed(3000, 400, (asked) => asked.list(undefined, undefined, label));
    const before = table.list(undefined, undefined, label);
    const copy = [...before];
    for (const { key } of copy) table.delete(key);
    expect(before).toEqual(copy);
    expect(table.list(undefined, undefined, label)).toEqual([]);
  });
});
