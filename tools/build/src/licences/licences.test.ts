import { expect, test } from "vitest";
import { componentsOf, packageFolder } from "./component.ts";
import { renderNotices } from "./notices.ts";
import { cycloneDx } from "./sbom.ts";

test.each([
  ["packages/api/src/index.ts", undefined],
  ["node_modules/.pnpm/yaml@2/node_modules/yaml/dist/index.js", "node_modules/.pnpm/yaml@2/node_modules/yaml"],
  ["node_modules/@a/b/c.js", "node_modules/@a/b"],
  ["node_modules/a/node_modules/b/c/d.js", "node_modules/a/node_modules/b"],
])("%s belongs to the package in %s", (path, want) => {
  expect(packageFolder(path)).toBe(want);
});

const components = componentsOf([
  "node_modules/turbo/bin/turbo",
  "node_modules/turbo/package.json",
  "tools/build/node_modules/esbuild/lib/main.js",
  "tools/build/src/main.ts",
]);

test("each package counts once, and has a licence with its text", () => {
  expect(components.map(({ name, licence }) => [name, licence])).toEqual([
    ["esbuild", "MIT"],
    ["turbo", "MIT"],
  ]);
  expect(renderNotices("x", components)).toMatch(/^esbuild [\d.]+: MIT$[\s\S]*Copyright \(c\) 2020 Evan Wallace/m);
});

test("the bill of materials names each package by its URL, and everything that the program depends on", () => {
  const bom = cycloneDx("x", [
    { name: "@a/b", version: "1.0.0", licence: "(MIT OR Apache-2.0)", text: undefined },
    { name: "c", version: "2.0.0", licence: "ISC", text: undefined },
  ]);
  expect(bom).toMatchObject({
    bomFormat: "CycloneDX",
    components: [
      { purl: "pkg:npm/%40a/b@1.0.0", licenses: [{ expression: "(MIT OR Apache-2.0)" }] },
      { purl: "pkg:npm/c@2.0.0", licenses: [{ license: { id: "ISC" } }] },
    ],
    dependencies: [{ ref: "orchernetes/x@1.27.0", dependsOn: ["pkg:npm/%40a/b@1.0.0", "pkg:npm/c@2.0.0"] }],
  });
});
