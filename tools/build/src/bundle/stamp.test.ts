import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { afterAll, beforeEach, expect, test } from "vitest";
import { root } from "../paths.ts";
import { makeStamp, STAMP_FILE, stateOfFolder, writeStamp } from "./stamp.ts";

mkdirSync(join(root, "node_modules/.cache"), { recursive: true });
const dir = mkdtempSync(join(root, "node_modules/.cache/stamp-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const source = join(dir, "source.ts");
const folder = join(dir, "bundle");
const name = relative(root, source);

beforeEach(() => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(source, "before");
  writeStamp(folder, makeStamp([name], Date.now() + 1000));
});

test("a bundle of unchanged sources is current", () => {
  expect(stateOfFolder(folder)).toEqual({ type: "current" });
});

test.each([
  ["changed in length", () => writeFileSync(source, "longer than before")],
  ["changed in content alone", () => writeFileSync(source, "Before")],
  ["removed", () => rmSync(source)],
])("a bundle with a source that was %s is outdated, and the source is named", (_, change) => {
  change();
  utimesIfThere(new Date(Date.now() + 5000));
  expect(stateOfFolder(folder)).toEqual({ type: "outdated", because: name });
});

test("a source that was written while the bundle was built may not be in it", () => {
  const startedMs = Date.now();
  const during = new Date(startedMs + 500);
  utimesSync(source, during, during);
  writeStamp(folder, makeStamp([name], startedMs));
  expect(stateOfFolder(folder)).toEqual({ type: "outdated", because: name });
});

test("a source with another time and the same content is unchanged, and is read only once", () => {
  const later = new Date(Date.now() + 5000);
  utimesSync(source, later, later);
  expect(stateOfFolder(folder)).toEqual({ type: "current" });
  expect(JSON.parse(readFileSync(join(folder, STAMP_FILE), "utf8")).inputs[name].mtimeMs).toBe(later.getTime());
});

test.each([
  ["no stamp", () => rmSync(join(folder, STAMP_FILE))],
  ["a damaged stamp", () => writeFileSync(join(folder, STAMP_FILE), "{")],
])("a folder with %s holds no bundle", (_, damage) => {
  damage();
  expect(stateOfFolder(folder)).toEqual({ type: "missing" });
});

function utimesIfThere(time: Date): void {
  try {
    utimesSync(source, time, time);
  } catch {
    // It was removed.
  }
}
