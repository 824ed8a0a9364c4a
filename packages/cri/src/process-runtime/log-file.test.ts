import { mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openLogFile } from "./log-file.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "o8s-log-"));
});
afterEach(() => rmSync(dir, { recursive: true }));

const now = () => Date.UTC(2024, 0, 2, 3, 4, 5, 6) + 0.25;
const time = "2024-01-02T03:04:05.006250000Z";

test.each([
  ["lines", ["a\nb\n"], [`${time} stdout F a`, `${time} stdout F b`]],
  ["a line in pieces", ["a", "b", "c\n"], [`${time} stdout F abc`]],
  ["an empty line", ["\n"], [`${time} stdout F `]],
  ["no newline at the end", ["abc"], [`${time} stdout P abc`]],
  ["a long line", [`${"x".repeat(16384)}yz\n`], [`${time} stdout P ${"x".repeat(16384)}`, `${time} stdout F yz`]],
  ["a line of exactly the limit", [`${"x".repeat(16384)}\n`], [`${time} stdout F ${"x".repeat(16384)}`]],
  ["a letter cut in two", [Buffer.from([0xc3]), Buffer.from([0xa9, 0x0a])], [`${time} stdout F é`]],
])("%s", (_, chunks, want) => {
  const path = join(dir, "deep/er/0.log");
  const log = openLogFile(path, now);
  for (const chunk of chunks) log.write("stdout", Buffer.from(chunk));
  log.flush("stdout");
  log.close();
  expect(readFileSync(path, "utf8")).toBe(want.map((line) => `${line}\n`).join(""));
});

test("streams are not mixed, and a reopened log is a new file", () => {
  const path = join(dir, "0.log");
  const log = openLogFile(path, now);
  log.write("stdout", Buffer.from("o"));
  log.write("stderr", Buffer.from("e\n"));
  renameSync(path, `${path}.1`);
  log.reopen();
  log.write("stdout", Buffer.from("ut\n"));
  log.close();
  expect(readFileSync(`${path}.1`, "utf8")).toBe(`${time} stderr F e\n`);
  expect(readFileSync(path, "utf8")).toBe(`${time} stdout F out\n`);
});
