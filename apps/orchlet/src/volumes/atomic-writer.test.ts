import { mkdtemp, readdir, readFile, readlink, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { writeAtomically } from "./atomic-writer.ts";

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "o8s-vol-"));
});
afterEach(async () => await rm(dir, { recursive: true }));

const files = (content: Readonly<Record<string, string>>, mode = 0o644) =>
  new Map(Object.entries(content).map(([path, text]) => [path, { content: Buffer.from(text), mode }]));
const visible = async () => (await readdir(dir)).filter((name) => !name.startsWith("..")).sort();

test("files are readable by their names, with their modes, in folders too", async () => {
  expect(await writeAtomically(dir, files({ a: "1", "b/c": "2" }, 0o400))).toBe(true);
  expect(await visible()).toEqual(["a", "b"]);
  expect(await readFile(join(dir, "b/c"), "utf8")).toBe("2");
  expect((await stat(join(dir, "a"))).mode & 0o777).toBe(0o400);
});

test("the same content again changes nothing", async () => {
  await writeAtomically(dir, files({ a: "1" }));
  const before = await readlink(join(dir, "..data"));
  expect(await writeAtomically(dir, files({ a: "1" }))).toBe(false);
  expect(await readlink(join(dir, "..data"))).toBe(before);
});

test.each([
  ["content", files({ a: "2" }), ["a"]],
  ["mode", files({ a: "1" }, 0o600), ["a"]],
  ["another name", files({ b: "1" }), ["b"]],
  ["nothing", files({}), []],
])("new %s replaces the old and leaves nothing behind", async (_, next, want) => {
  await writeAtomically(dir, files({ a: "1" }));
  expect(await writeAtomically(dir, next)).toBe(true);
  expect(await visible()).toEqual(want);
  expect((await readdir(dir)).filter((name) => name.startsWith(".."))).toHaveLength(2);
  for (const [path, { content }] of next) expect(await readFile(join(dir, path))).toEqual(content);
});

test.each(["../x", "/x", "a/../../x", "..data", ""])("path %j is refused and nothing is written", async (path) => {
  await expect(writeAtomically(dir, files({ [path]: "1" }))).rejects.toThrow(/invalid path/);
  expect(await readdir(dir)).toEqual([]);
});
