import { expect, test } from "vitest";
import { describeRights } from "./describe-rights.ts";
import { missingRights } from "./rule-coverage.ts";

const names = (letter: string, count: number): string[] => Array.from({ length: count }, (_, i) => `${letter}${i}`);
const cpuMs = (work: () => void): number => {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
};

test("many wide rules against many held ones take a bounded time, and what is not decided is not held", () => {
  const wide = { apiGroups: names("g", 20), resources: names("r", 20), verbs: names("v", 20) };
  const wanted = Array.from({ length: 150 }, () => wide);
  // All but the last right of each, so that every comparison is made.
  const owned = Array.from({ length: 150 }, () => ({ ...wide, verbs: names("v", 19) }));
  let missing: ReturnType<typeof missingRights> = [];
  expect(cpuMs(() => (missing = missingRights(owned, wanted)))).toBeLessThan(2000);
  expect(missing.length).toBeGreaterThan(100);
});

test("many rules against very many held ones take a bounded time", () => {
  const named = (name: string) => ({ apiGroups: [""], resources: ["pods"], verbs: ["get"], resourceNames: [name] });
  const owned = names("n", 50_000).map(named);
  const wanted = names("n", 5000).reverse().map(named);
  let missing: ReturnType<typeof missingRights> = [];
  expect(cpuMs(() => (missing = missingRights(owned, wanted)))).toBeLessThan(1000);
  expect(missing.length).toBeGreaterThan(4000);
  expect(missingRights(owned, [named("n49999")])).toEqual([]);
});

test("stars at the end of a URL are cut off in linear time", () => {
  const url = `/${"*".repeat(500_000)}a*`;
  const rule = { nonResourceURLs: [url], verbs: ["get"] };
  expect(cpuMs(() => missingRights([rule], [{ nonResourceURLs: ["/x"], verbs: ["get"] }]))).toBeLessThan(1000);
  expect(
    missingRights([{ nonResourceURLs: ["/a**"], verbs: ["get"] }], [{ nonResourceURLs: ["/ab"], verbs: ["get"] }]),
  ).toEqual([]);
});

test("a message lists a hundred rights", () => {
  const rights = names("r", 500).map((one) => ({ apiGroups: [""], resources: [one], verbs: ["get"] }));
  expect(describeRights(rights)).toHaveLength(101);
  expect(describeRights(rights).at(-1)).toBe("and 400 more");
});
