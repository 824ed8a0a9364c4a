import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../../..");
const pagesIn = (folder: string) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(folder, name));
const pages = ["", "docs", "docs/adr", "docs/security", "docs/security/fixed"].flatMap(pagesIn);

/** What the pages refer to by an expression, whose group is the path. */
const references = (expression: RegExp) =>
  pages.flatMap((page) =>
    [...readFileSync(join(root, page), "utf8").matchAll(expression)].map(([, path = ""]) => ({ page, path })),
  );

/** Paths of files of the project, as the pages write them. */
const named = references(/`((?:packages|apps|tools)\/[\w./-]+\.(?:ts|mjs))`/g);

/** Files that the pages link to, relative to the page. */
const linked = references(/\]\((?!https?:)([^)#\s]+)(?:#[^)\s]*)?\)/g);

test("the pages name files", () => {
  expect(named.length).toBeGreaterThan(40);
  expect(linked.length).toBeGreaterThan(40);
});

test.each(named)("$page: $path exists", ({ path }) => {
  expect(existsSync(join(root, path))).toBe(true);
});

test.each(linked)("$page: the link to $path leads to a file", ({ page, path }) => {
  expect(existsSync(join(root, dirname(page), path))).toBe(true);
});

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(page: string): ReadonlySet<string> {
  const text = readFileSync(join(root, page), "utf8").replaceAll(/^```[\s\S]*?^```/gm, "");
  const titles = [...text.matchAll(/^#+ (.*)$/gm)].map(([, title = ""]) => title.replaceAll(/\]\([^)]*\)/g, ""));
  return new Set(
    titles.map((title) =>
      title
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}_\- ]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );
}

const anchored = references(/\]\((?!https?:)([^)\s]*\.md#[^)\s]+|#[^)\s]+)\)/g);

test.each(anchored)("$page: the link to $path leads to a heading", ({ page, path }) => {
  const [file = "", anchor = ""] = path.split("#");
  expect([...anchorsOf(file === "" ? page : join(dirname(page), file))]).toContain(anchor);
});
