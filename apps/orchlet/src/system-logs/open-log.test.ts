import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { NoSuchLog, openLog } from "./open-log.ts";

const dir = mkdtempSync(join(tmpdir(), "o8s-open-log-"));
const root = join(dir, "log");

beforeAll(() => {
  mkdirSync(join(root, "pods/a"), { recursive: true });
  mkdirSync(join(dir, "log-other"));
  writeFileSync(join(root, "syslog"), "system");
  writeFileSync(join(root, "pods/a/0.log"), "zero");
  writeFileSync(join(dir, "secret"), "secret");
  writeFileSync(join(dir, "log-other/secret"), "secret");
  mkdirSync(join(root, "containers"));
  symlinkSync(join(root, "pods/a/0.log"), join(root, "containers/absolute.log"));
  symlinkSync("../pods/a/0.log", join(root, "containers/relative.log"));
  symlinkSync("absolute.log", join(root, "containers/twice.log"));
  symlinkSync("../pods", join(root, "containers/folder"));
  symlinkSync(join(dir, "secret"), join(root, "out"));
  symlinkSync("../secret", join(root, "up"));
  symlinkSync(join(dir, "log-other/secret"), join(root, "neighbour"));
  symlinkSync("containers/../../secret", join(root, "containers-up"));
  symlinkSync("/", join(root, "slash"));
  symlinkSync("loop", join(root, "loop"));
  symlinkSync(".", join(root, "self"));
  execFileSync("mkfifo", [join(root, "fifo")]);
});
afterAll(() => rmSync(dir, { recursive: true }));

async function read(path: string): Promise<string> {
  const opened = await openLog(root, path);
  if (opened.type === "folder") {
    await opened.folder.close();
    return "a folder";
  }
  try {
    return await opened.file.readFile("utf8");
  } finally {
    await opened.file.close();
  }
}

test.each([
  ["", "a folder"],
  ["syslog", "system"],
  ["//./syslog", "system"],
  ["pods/a/0.log", "zero"],
  ["containers/absolute.log", "zero"],
  ["containers/relative.log", "zero"],
  ["containers/twice.log", "zero"],
  ["containers/folder/a/0.log", "zero"],
  ["containers/folder", "a folder"],
  ["self/self/syslog", "system"],
])("%j opens %s", async (path, content) => {
  expect(await read(path)).toBe(content);
});

test.each([
  "nothing",
  "syslog/x",
  "..",
  "../secret",
  "pods/../../secret",
  "out",
  "up",
  "neighbour",
  "containers-up",
  "slash/etc/passwd",
  "loop",
  "fifo",
  "a\0b",
  "x".repeat(300),
  "self/".repeat(60),
  "a/".repeat(10_000),
])("%j opens nothing", async (path) => {
  await expect(read(path)).rejects.toThrow(NoSuchLog);
});
