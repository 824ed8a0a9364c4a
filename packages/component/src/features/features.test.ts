import { expect, test } from "vitest";
import { parseFeatureGates } from "./feature-gates.ts";
import { features } from "./features.ts";

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
  if ("faults" in result) throw new Error(result.faults.join());
  expect([...result.gates.all()].flatMap(([name, on]) => (on ? [name] : [])).join(" ")).toBe(want);
  expect(result.gates.enabled("B1")).toBe(want.includes("B1"));
});

test("all faults are told in the words of the originals", () => {
  expect(parse({ Nope: true, G1: false, constructor: true })).toEqual({
    faults: [
      "unrecognized feature gate: Nope",
      "cannot set feature gate G1 to false, feature is locked to true",
      "unrecognized feature gate: constructor",
    ],
  });
});

test("naming a finished feature warns", () => {
  expect(parse({ G2: true })).toMatchObject({
    warnings: ["Setting GA feature gate G2=true. It will be removed in a future release."],
  });
});

test("the table of the API level knows its features", () => {
  expect(features.ServerSideApply).toMatchObject({ stage: "GA" });
  expect(features.NodeSwap).toEqual({ stage: "Alpha", default: false });
  expect(Object.keys(features).length).toBeGreaterThan(140);
});
