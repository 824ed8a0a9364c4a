import { existsSync, readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { folderGraph, foldersInCycles } from "./folder-cycles.ts";

const root = new URL("../../../", import.meta.url);

const packages = ["packages", "apps", "tools"].flatMap((kind) =>
  readdirSync(new URL(`${kind}/`, root))
    .map((name) => `${kind}/${name}`)
    .filter((folder) => existsSync(new URL(`${folder}/src/`, root))),
);

test.each(packages)("folders of %s import one way", (name) => {
  expect(foldersInCycles(folderGraph(new URL(`${name}/src/`, root)))).toEqual([]);
});

test.each([
  ["a line", { a: ["b"], b: ["c"], c: [] }, []],
  ["a diamond", { a: ["b", "c"], b: ["d"], c: ["d"], d: [] }, []],
  ["two that import each other", { a: ["b"], b: ["a"], c: ["a"] }, ["a", "b"]],
  ["a way back through a third", { a: ["b"], b: ["c"], c: ["a"], d: ["a"] }, ["a", "b", "c"]],
  ["a folder and the one in it", { "a/b": ["a"], a: ["a/b"] }, ["a", "a/b"]],
])("cycles of %s", (_name, edges, want) => {
  expect(foldersInCycles(new Map(Object.entries(edges).map(([from, to]) => [from, new Set(to)])))).toEqual(want);
});
