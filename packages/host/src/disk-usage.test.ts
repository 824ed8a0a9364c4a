import { execFileSync } from "node:child_process";
import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { diskUsage, fileSystemSpace } from "./disk-usage.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "o8s-usage-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const du = (...args: readonly string[]) =>
  Number.parseInt(execFileSync("du", ["-s", ...args, dir], { encoding: "utf8" }), 10);

test("a folder takes what du says; links are not followed, and a file with two names counts once", async () => {
  mkdirSync(join(dir, "a/b"), { recursive: true });
  writeFileSync(join(dir, "a/b/file"), Buffer.alloc(100_000));
  linkSync(join(dir, "a/b/file"), join(dir, "second"));
  symlinkSync("/usr", join(dir, "link"));
  expect(await diskUsage(dir)).toEqual({ bytes: du("-B1"), inodes: du("--inodes") });
});

test("a folder with many files takes what du says, too", async () => {
  for (let i = 0; i < 2100; i++) writeFileSync(join(dir, String(i)), "x");
  expect(await diskUsage(dir)).toEqual({ bytes: du("-B1"), inodes: 2101 });
});

test("a link in place of the folder is not followed", async () => {
  symlinkSync("/usr", join(dir, "link"));
  await expect(diskUsage(join(dir, "link"))).rejects.toThrow(/ELOOP|ENOTDIR/);
});

test("a file system has a size, and what is used and free of it", async () => {
  const { capacityBytes, availableBytes, usedBytes, inodes, inodesFree } = await fileSystemSpace(dir);
  expect(capacityBytes).toBeGreaterThanOrEqual(availableBytes);
  expect(usedBytes).toBeLessThanOrEqual(capacityBytes);
  expect(inodes).toBeGreaterThanOrEqual(inodesFree);
  await expect(fileSystemSpace(join(dir, "none"))).rejects.toThrow();
});
