import { execFileSync } from "node:child_process";
import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { diskUsage } from "./disk-usage.ts";
import { isInMemory, memoryUsage, readMemoryFile } from "./memory-files.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync("/dev/shm/o8s-memory-");
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

test("a tmpfs is in memory, and a file system of the kernel's state is not", async () => {
  expect(await isInMemory(dir)).toBe(true);
  expect(await isInMemory("/proc")).toBe(false);
  await expect(isInMemory(join(dir, "none"))).rejects.toThrow(/ENOENT/);
});

test("a folder in memory takes what du says, and is left to others if it has too many entries", async () => {
  mkdirSync(join(dir, "a/b"), { recursive: true });
  writeFileSync(join(dir, "a/b/file"), Buffer.alloc(100_000));
  linkSync(join(dir, "a/b/file"), join(dir, "second"));
  symlinkSync("/usr", join(dir, "link"));
  const du = (unit: string) => Number.parseInt(execFileSync("du", ["-s", unit, dir], { encoding: "utf8" }), 10);
  const want = { bytes: du("-B1"), inodes: du("--inodes") };
  expect(memoryUsage(dir, 5)).toEqual(want);
  expect(memoryUsage(dir, 4)).toBeUndefined();
  expect(memoryUsage(join(dir, "link"), 5)).toBeUndefined();
  expect(await diskUsage(dir)).toEqual(want);
});

test("a regular file in memory is read up to a limit; what is none is not opened", () => {
  writeFileSync(join(dir, "file"), "abc");
  expect(readMemoryFile(join(dir, "file"), 3)?.toString()).toBe("abc");
  expect(readMemoryFile(join(dir, "file"), 2)).toBeUndefined();
  symlinkSync(join(dir, "file"), join(dir, "link"));
  execFileSync("mkfifo", [join(dir, "fifo")]);
  for (const name of ["link", "fifo", "."]) expect(readMemoryFile(join(dir, name), 10)).toBeUndefined();
  expect(() => readMemoryFile(join(dir, "none"), 1)).toThrow(/ENOENT/);
});
