import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { defaultServerFeatures } from "@orchernetes/apiserver";
import { type Feature, features, parseFeatureGates } from "@orchernetes/component";
import { expect, test } from "vitest";
import { serverFeatures } from "./server-features.ts";
import { switchedGates } from "./switched-gates.ts";

const root = join(import.meta.dirname, "../../../..");
const file = join(root, "packages/testkit/facts/feature-gates.json");

function featuresOf(...switched: readonly (readonly [string, boolean])[]) {
  const named = new Map(switched);
  const gates = parseFeatureGates(features, named);
  if ("errors" in gates) throw new Error(gates.errors.join());
  return serverFeatures((gate) => gates.gates.enabled(gate), named);
}

test("without --feature-gates the server's features are as they are by default", () => {
  expect(featuresOf()).toEqual(defaultServerFeatures);
});

test.each([
  ["APIListChunking", "listChunking"],
  ["RemainingItemCount", "remainingItemCount"],
  ["APIResponseCompression", "responseCompression"],
  ["StorageVersionHash", "storageVersionHash"],
  ["OpenAPIEnums", "openApiEnums"],
  ["AggregatedDiscoveryEndpoint", "aggregatedDiscovery"],
  ["WatchList", "watchList"],
  ["WatchFromStorageWithoutResourceVersion", "watchFromStorage"],
  ["UnauthenticatedHTTP2DOSMitigation", "leaveUnauthenticated"],
] as const)("%s switches %s and nothing else", (gate, feature) => {
  for (const value of [true, false])
    expect(featuresOf([gate, value])).toEqual({ ...defaultServerFeatures, [feature]: value });
});

test("watch lists are off only if they are named", () => {
  expect(featuresOf(["AllAlpha", false]).watchList).toBe(true);
});

/** Every quoted name in the sources of the API server. */
function quotedNames(): ReadonlySet<string> {
  const names = new Set<string>();
  for (const folder of [
    "packages/api/src",
    "packages/apiserver/src",
    "packages/apiextensions/src",
    "apps/orch-apiserver/src",
  ]) {
    for (const path of readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })) {
      if (!path.endsWith(".ts") || /\.test\.ts$|documentation|switched-gates/.test(path)) continue;
      for (const [, name = ""] of readFileSync(join(root, folder, path), "utf8").matchAll(/"([A-Za-z0-9]+)"/g))
        names.add(name);
    }
  }
  return names;
}

test("every open gate of the API server is asked for", () => {
  const { gates } = JSON.parse(readFileSync(file, "utf8")) as {
    gates: readonly { name: string; locked?: boolean; usedBy: readonly string[] }[];
  };
  const asked = quotedNames();
  const open = gates.filter(({ locked, usedBy }) => locked !== true && usedBy.includes("orch-apiserver"));
  expect(open.length).toBeGreaterThan(50);
  const silent = open.filter(({ name }) => !asked.has(name));
  expect(silent.map(({ name }) => name)).toEqual([]);
});

test("the gates that switch something are those that the sources ask for", () => {
  const asked = quotedNames();
  const open = Object.entries<Feature>(features).flatMap(([name, { locked }]) => (locked === true ? [] : [name]));
  const ours = open.filter((name) => asked.has(name));
  expect([...switchedGates].sort()).toEqual(ours.sort());
});
