import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readLimitedFile, readStateBytes } from "./limited-file.ts";

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), "o8s-limited-"));
  writeFileSync(join(dir, "file"), "x".repeat(1000));
  writeFileSync(join(dir, "empty"), "");
  writeFileSync(join(dir, "huge"), "");
  truncateSync(join(dir, "huge"), 10 * 1024 ** 3);
  mkdirSync(join(dir, "folder"));
  symlinkSync("file", join(dir, "link"));
  execFileSync("mkfifo", [join(dir, "fifo")]);
});
afterAll(() => rmSync(dir, { recursive: true }));

const at = (name: string) => (name.startsWith("/") ? name : join(dir, name));

test.each<[string, string | RegExp]>([
  ["file", "x".repeat(1000)],
  ["link", "x".repeat(1000)],
  ["empty", ""],
  ["/proc/self/comm", /^\S+\n$/],
  ["huge", /is too large; want a file of at most 1000 bytes/],
  ["folder", /is not a regular file; want one of at most 1000 bytes/],
  ["fifo", /is not a regular file/],
  ["/dev/zero", /is not a regular file/],
  ["gone", /ENOENT/],
])("a state file %s is read only if it is a regular file with at most so many bytes", (name, want) => {
  const read = () => readStateBytes(at(name), 1000).toString();
  if (typeof want === "string") expect(read()).toBe(want);
  else if (name === "/proc/self/comm") expect(read()).toMatch(want);
  else expect(read).toThrow(want);
});

test.each<[string, string | RegExp]>([
  ["file", "x".repeat(1000)],
  ["huge", /is too large; want a file of at most 1000 bytes/],
  ["/dev/zero", /is too large; want a file of at most 1000 bytes/],
  ["folder", /EISDIR/],
])("no more of a file %s is read than is accepted", async (name, want) => {
  const read = readLimitedFile(at(name), 1000);
  if (typeof want === "string") expect((await read).toString()).toBe(want);
  else await expect(read).rejects.toThrow(want);
});
