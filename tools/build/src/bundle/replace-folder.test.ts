import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { replaceFolder } from "./replace-folder.ts";

const dir = mkdtempSync(join(tmpdir(), "replace-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

function folderOf(name: string, text: string): string {
  const folder = join(dir, name);
  mkdirSync(folder);
  writeFileSync(join(folder, "a"), text);
  writeFileSync(join(folder, "b"), text);
  return folder;
}

test.each([["a folder that is missing"], ["a folder with files"]])("replaces %s", (name) => {
  replaceFolder(folderOf("next", name), join(dir, "current"));
  expect(readFileSync(join(dir, "current/a"), "utf8")).toBe(name);
  expect(readdirSync(dir)).toEqual(["current"]);
});

test("an error other than a folder in the way is reported, and leaves the old folder", () => {
  const current = folderOf("kept", "kept");
  expect(() => replaceFolder(join(dir, "none"), join(dir, "missing/folder"))).toThrow("ENOENT");
  expect(readFileSync(join(current, "a"), "utf8")).toBe("kept");
});

/** Replaces the folder 200 times with folders whose two files are equal. */
const PROGRAM = `
import { mkdirSync, writeFileSync } from "node:fs";
const { replaceFolder } = await import(process.argv[1]);
for (let n = 0; n < 200; n++) {
  const next = process.argv[2] + "." + process.pid;
  mkdirSync(next);
  for (const name of ["a", "b"]) writeFileSync(next + "/" + name, process.pid + "-" + n);
  replaceFolder(next, process.argv[2]);
}`;

test("processes that replace a folder at the same time disturb none of each other", async () => {
  const url = new URL("replace-folder.ts", import.meta.url).href;
  const target = join(dir, "shared");
  const processes = [1, 2, 3].map(() =>
    spawn(process.execPath, ["--input-type=module", "-e", PROGRAM, url, target], { stdio: "inherit" }),
  );
  const codes = await Promise.all(processes.map(async (child) => (await once(child, "exit"))[0]));
  expect(codes).toEqual([0, 0, 0]);
  const [a, b] = ["a", "b"].map((name) => readFileSync(join(target, name), "utf8"));
  expect(a).toBe(b);
  expect(readdirSync(dir).filter((name) => name.startsWith("shared"))).toEqual(["shared"]);
});
