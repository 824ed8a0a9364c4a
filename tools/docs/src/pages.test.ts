import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { resourcesPage } from "./resources-page.ts";
import { statusPage } from "./status-page.ts";

const page = (name: string) => readFileSync(new URL(`../../../docs/${name}`, import.meta.url), "utf8");

test.each([
  ["status.md", statusPage],
  ["resources.md", resourcesPage],
])("docs/%s is what the tables say: run `node tools/docs/src/main.ts`", (name, make) => {
  expect(page(name)).toBe(make());
});
