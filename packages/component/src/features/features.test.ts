import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Feature, parseFeatureGates } from "./feature-gates.ts";
import { features } from "./features.ts";
import { idleGateWarnings } from "./idle-gates.ts";

const table = {
  A1: { stage: "Alpha", default: false },
  A2: { stage: "Alpha", default: false },
  B1: { stage: "Beta", default: true },
  G1: { stage: "GA", default: true, locked: true },
  G2: { stage: "GA", default: true },
} as const;

function parse(overrides: Record<string, boolean>) {
  return parseFeatureGates(table, new Map(Object.entries(overrides)));
}
// shows: featureGates
test.each<[Record<string, boolean>, string]>([
  [{}, "B1 G1 G2"],
  [{ A1: true }, "A1 B1 G1 G2"],
  [{ AllAlpha: true }, "A1 A2 B1 G1 G2"],
  [{ AllAlpha: true, A2: false }, "A1 B1 G1 G2"],
  [{ A2: false, AllAlpha: true }, "A1 B1 G1 G2"],
  [{ AllBeta: false }, "G1 G2"],
  [{ G1: true, G2: false }, "B1 G1"],
])("%j switches on %s", (overrides, want) => {
  const result = parse(overrides);
  if ("errors" in result) throw new Error(result.errors.join());
  expect([...result.gates.all()].flatMap(([name, on]) => (on ? [name] : [])).join(" ")).toBe(want);
  expect(result.gates.enabled("B1")).toBe(want.includes("B1"));
});

test("all errors are reported with upstream's texts", () => {
  expect(parse({ Nope: true, G1: false, constructor: true })).toEqual({
    errors: [
      "unrecognized feature gate: Nope",
      "cannot set feature gate G1 to false, feature is locked to true",
      "unrecognized feature gate: constructor",
    ],
  });
});

test("naming a generally available feature causes a warning", () => {
  expect(parse({ G2: true })).toMatchObject({
    warnings: ["Setting GA feature gate G2=true. It will be removed in a future release."],
  });
});

const reference = join(import.meta.dirname, "../../../testkit/facts/feature-gates.json");

test("the table agrees with the reference in stages, defaults and locks", () => {
  const { gates } = JSON.parse(readFileSync(reference, "utf8")) as {
    gates: readonly { name: string; stage: string; default: boolean; locked?: boolean }[];
  };
  const wanted = gates.map(({ name, stage, default: on, locked }) => [name, stage, on, locked ?? false]);
  const got = Object.entries<Feature>(features).map(([name, feature]) => [
    name,
    feature.stage.toUpperCase(),
    feature.default,
    feature.locked ?? false,
  ]);
  expect(got.sort()).toEqual(wanted.sort());
});

test("the table of the API level knows its features", () => {
  expect(features.ServerSideApply).toMatchObject({ stage: "GA" });
  expect(features.NodeSwap).toEqual({ stage: "Alpha", default: false });
  expect(Object.keys(features).length).toBeGreaterThan(140);
});

test.each([
  [{ KMSv2: true }, []],
  [{ NodeSwap: false }, []],
  [{ NodeSwap: true }, []],
  [{ KMSv2: false }, ["feature gate KMSv2=false has no effect: it switches nothing in orchlet"]],
])("gates named as %j, of which NodeSwap switches something, warn: %j", (named, want) => {
  const warnings = idleGateWarnings({
    daemon: "orchlet",
    features,
    named: new Map(Object.entries(named)),
    switched: ["NodeSwap"],
  });
  expect(warnings).toEqual(want);
});
