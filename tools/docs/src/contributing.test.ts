import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../../..");
const guide = readFileSync(join(root, "CONTRIBUTING.md"), "utf8");

/** Code blocks that quote a file: the file's path stands behind the language. */
const quotes = [...guide.matchAll(/^```ts (\S+)\n(.*?)^```$/gms)].map(([, path = "", code = ""]) => ({ path, code }));

test("the guide quotes examples", () => {
  expect(quotes.length).toBeGreaterThanOrEqual(4);
});

test.each(quotes)("$path is quoted as it is, and tested", ({ path, code }) => {
  expect(code).toBe(readFileSync(join(root, path), "utf8"));
});
