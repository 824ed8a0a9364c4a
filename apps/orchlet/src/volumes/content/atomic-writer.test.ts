import { writeFileSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, readlink, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { canMount, mountTmpfs, unmount } from "@orchernetes/host";
import { afterEach, beforeEach, expect, test } from "vitest";
import { isWritten, writeAtomically } from "./atomic-writer.ts";

const mayMount = await canMount();
let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "o8s-vol-"));
});
afterEach(async () => await rm(dir, { recursive: true }));

const files = (content: Readonly<Record<string, string>>, mode = 0o644) =>
  new Map(Object.entries(content).map(([path, text]) => [path, { content: Buffer.from(text), mode }]));
const visible = async () => (await readdir(dir)).filter((name) => !name.startsWith("..")).sort();

test("files have their names and modes, in folders, too", async () => {
  expect(await writeAtomically(dir, files({ a: "1", "b/c": "2" }, 0o400))).toBe(true);
  expect(await visible()).toEqual(["a", "b"]);
  expect(await readFile(join(dir, "b/c"), "utf8")).toBe("2");
  expect((await stat(join(dir, "a"))).mode & 0o777).toBe(0o400);
});

test("writing the same content again changes nothing", async () => {
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

test.each(["../x", "/x", "a/../../x", "..data", ""])("path %j is rejected and nothing is written", async (path) => {
  await expect(writeAtomically(dir, files({ [path]: "1" }))).rejects.toThrow(/invalid path/);
  expect(await readdir(dir)).toEqual([]);
});

test("files that an interrupted write has not made visible become visible with the next write", async () => {
  await writeAtomically(dir, files({ a: "1", b: "2" }));
  // They are linked one after the other, when the new content is in place.
  await rm(join(dir, "b"));
  expect(await isWritten(dir, files({ a: "1", b: "2" }))).toBe(false);
  await writeAtomically(dir, files({ a: "1", b: "2" }));
  expect(await visible()).toEqual(["a", "b"]);
  expect(await isWritten(dir, files({ a: "1", b: "2" }))).toBe(true);
});

test("leftovers of an interrupted write are deleted by the next one", async () => {
  await writeAtomically(dir, files({ a: "1" }));
  await mkdir(join(dir, "..2026_01_01.left"));
  await writeFile(join(dir, "..2026_01_01.left/secret"), "");
  await symlink("..2026_01_01.left", join(dir, "..data_tmp"));
  expect(await writeAtomically(dir, files({ a: "2" }))).toBe(true);
  const shown = await readlink(join(dir, "..data"));
  expect((await readdir(dir)).sort()).toEqual([shown, "..data", "a"].sort());
});

test.skipIf(!mayMount)(
  "on a full disk, the old content stays complete and no part of the new content is left; the next write is complete",
  async () => {
    await mountTmpfs(dir, ["size=128k"]);
    try {
      await writeAtomically(dir, files({ a: "1" }));
      expect(() => writeFileSync(join(dir, "filler"), Buffer.alloc(1e6))).toThrow("ENOSPC");
      const next = files({ a: "2", b: "3".repeat(50_000) });
      for (let attempt = 0; attempt < 3; attempt++) await expect(writeAtomically(dir, next)).rejects.toThrow("ENOSPC");
      expect(await readFile(join(dir, "a"), "utf8")).toBe("1");
      expect((await readdir(dir)).filter((name) => name.startsWith("..")).length).toBeLessThanOrEqual(3);
      await rm(join(dir, "filler"));
      expect(await writeAtomically(dir, next)).toBe(true);
      expect([await readFile(join(dir, "a"), "utf8"), (await readFile(join(dir, "b"))).length]).toEqual(["2", 50_000]);
    } finally {
      await unmount(dir);
    }
  },
);

test.each([
  ["the same", files({ a: "1", b: "two" }), true],
  ["another mode", files({ a: "1", b: "two" }, 0o600), false],
  ["another content", files({ a: "1", b: "tow" }), false],
  ["a longer content", files({ a: "1", b: "twos" }), false],
  ["one file more", files({ a: "1", b: "two", c: "" }), false],
  ["one file less", files({ a: "1" }), false],
  ["a file in a folder", files({ a: "1", "b/c": "two" }), false],
])("files in memory are compared: %s", async (_, content, same) => {
  const inMemory = await mkdtemp("/dev/shm/o8s-vol-");
  try {
    await writeAtomically(inMemory, files({ a: "1", b: "two" }));
    expect(await isWritten(inMemory, content)).toBe(same);
    await rm(join(inMemory, "a"));
    expect(await isWritten(inMemory, content)).toBe(false);
  } finally {
    await rm(inMemory, { recursive: true });
  }
});
