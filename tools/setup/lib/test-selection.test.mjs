import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { selectTests } from "./test-selection.mjs";

let root;
const git = (...args) =>
  execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.com", ...args], { cwd: root });

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "selection-"));
  const packages = { "packages/low": [], "packages/high": ["low"], "apps/top": ["high"], "tools/other": [] };
  for (const [folder, needs] of Object.entries(packages)) {
    mkdirSync(join(root, folder, "src"), { recursive: true });
    const dependencies = Object.fromEntries(needs.map((name) => [name, "workspace:*"]));
    writeFileSync(join(root, folder, "package.json"), JSON.stringify({ name: folder.split("/")[1], dependencies }));
    writeFileSync(join(root, folder, "src/a.test.ts"), "");
  }
  git("init", "-q");
  git("add", "-A");
  git("commit", "-qm", "first");
});
afterAll(() => rmSync(root, { recursive: true }));

/** The selection with folders relative to the root. */
function select(...args) {
  const selection = selectTests(root, args);
  return selection.kind === "all"
    ? "all"
    : selection.runs.map(({ folder, args }) => [folder.slice(root.length + 1), ...args]);
}

describe("npm test runs", () => {
  test.each([
    ["everything without arguments", [], "all"],
    ["a package", ["packages/low"], [["packages/low"]]],
    ["a file", ["apps/top/src/a.test.ts"], [["apps/top", "src/a.test.ts"]]],
    [
      "paths of several packages, in the packages' order",
      ["apps/top/src", "packages/low"],
      [["packages/low"], ["apps/top", "src"]],
    ],
    ["a file with options of vitest", ["packages/low", "--", "-t", "name"], [["packages/low", "-t", "name"]]],
  ])("%s", (_, args, want) => {
    expect(select(...args)).toEqual(want);
  });

  test("what depends on a changed file, in its package and in those above", () => {
    writeFileSync(join(root, "packages/high/src/new.ts"), "");
    const args = ["--changed=HEAD", "--passWithNoTests"];
    expect(select("--changed")).toEqual([
      ["packages/high", ...args],
      ["apps/top", ...args],
    ]);
  });
});

test.each([
  [[], false, "all"],
  [["--coverage"], true, "all"],
  [["--coverage", "packages/low"], true, [["packages/low"]]],
])("%j with coverage: %j", (args, coverage, want) => {
  expect(selectTests(root, args).coverage).toBe(coverage);
  expect(select(...args)).toEqual(want);
});

test.each([
  [["packages/none"], /cannot test "packages\/none": expected a package's folder, or a file or folder inside of one/],
  [["--filter=x"], /unknown option "--filter=x" of npm test; expected paths, --changed\[=REF\] or --coverage/],
  [["--changed", "packages/low"], /expected no paths beside it/],
])("%j is refused", (args, message) => {
  expect(() => select(...args)).toThrow(message);
});
