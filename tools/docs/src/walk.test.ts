import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../../..");
const pages = ["docs/walk-of-a-pod.md", "docs/ARCHITECTURE.md"];

/** Paths of files of the project, as the page writes them. */
const named = pages.flatMap((page) =>
  [...readFileSync(join(root, page), "utf8").matchAll(/`((?:packages|apps|tools)\/[\w./-]+\.(?:ts|mjs))`/g)].map(
    ([, path = ""]) => ({ page, path }),
  ),
);

test("the pages name files", () => {
  expect(named.length).toBeGreaterThan(40);
});

test.each(named)("$page: $path exists", ({ path }) => {
  expect(existsSync(join(root, path))).toBe(true);
});
