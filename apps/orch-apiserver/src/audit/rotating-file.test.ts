import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { FakeClock, silentLogger } from "@orchernetes/kernel";
import { afterEach, beforeEach, expect, test } from "vitest";
import { backupPath, backupsOf, planOf } from "./rotated-files.ts";
import { RotatingFile, type RotatingFileOptions } from "./rotating-file.ts";

let directory = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "audit-log-"));
});
afterEach(() => rmSync(directory, { recursive: true }));

const clock = new FakeClock("2023-06-01T10:20:30.000Z");
const openFile = (options: Partial<RotatingFileOptions> = {}) =>
  RotatingFile.open({
    path: join(directory, "log", "audit.log"),
    maxBytes: 100,
    maxBackups: 0,
    maxAgeDays: 0,
    compress: false,
    clock,
    logger: silentLogger,
    ...options,
  });
const files = () => readdirSync(join(directory, "log")).sort();
const read = (name: string): string => {
  const bytes = readFileSync(join(directory, "log", name));
  return String(name.endsWith(".gz") ? gunzipSync(bytes) : bytes);
};

test.each([false, true])("rotation loses no line and divides none, compressed: %s", async (compress) => {
  const file = await openFile({ compress });
  const lines = Array.from({ length: 200 }, (_, i) => `line ${i} ${"x".repeat(i % 40)}\n`);
  await Promise.all(lines.map((line) => file.append(line)));
  await file.close();
  const backups = backupsOf("audit.log", files()).map(({ name }) => name);
  expect(backups.every((name) => name.endsWith(".gz") === compress)).toBe(true);
  expect([...backups.reverse(), "audit.log"].map(read).join("")).toBe(lines.join(""));
  for (const name of files()) {
    expect(read(name).length).toBeLessThanOrEqual(100);
    expect(statSync(join(directory, "log", name)).mode & 0o777).toBe(0o600);
  }
});

test("a line that is longer than a file has one of its own", async () => {
  const file = await openFile();
  await file.append("a\n");
  await file.append(`${"x".repeat(500)}\n`);
  await file.append("b\n");
  await file.close();
  expect(files().map((name) => read(name).length)).toEqual([2, 501, 2]);
});

test("a file that exists is continued", async () => {
  await (await openFile()).close();
  writeFileSync(join(directory, "log", "audit.log"), "old\n");
  const file = await openFile();
  await file.append("new\n");
  await file.close();
  expect(read("audit.log")).toBe("old\nnew\n");
});

test("a line that a killed process left unfinished is ended", async () => {
  await (await openFile()).close();
  writeFileSync(join(directory, "log", "audit.log"), "old\nunfin");
  const file = await openFile();
  await file.append("new\n");
  await file.close();
  expect(read("audit.log")).toBe("old\nunfin\nnew\n");
});

test("a full disk rejects the text, and nothing of it stays", async () => {
  const file = await openFile({ path: "/dev/full" });
  await expect(file.append("text\n")).rejects.toThrow("ENOSPC");
  await file.close();
});

const day = 24 * 3600_000;
const at = (daysAgo: number) => backupPath("audit.log", clock.nowMs() - daysAgo * day);
test.each<[string, readonly string[], Parameters<typeof planOf>[1], readonly string[], readonly string[]]>([
  ["all are kept", [at(1), at(90)], { maxBackups: 0, maxAgeDays: 0, compress: false }, [], []],
  ["the newest are kept", [at(3), at(1), at(2)], { maxBackups: 2, maxAgeDays: 0, compress: false }, [at(3)], []],
  ["the old are removed", [at(3), at(1)], { maxBackups: 0, maxAgeDays: 2, compress: false }, [at(3)], []],
  [
    "an interrupted compression counts once",
    [at(2), `${at(2)}.gz`, at(1)],
    { maxBackups: 2, maxAgeDays: 0, compress: true },
    [],
    [at(1), at(2)],
  ],
  [
    "other files are left alone",
    ["audit.log", "audit-x.log", "other-2023-01-01T00-00-00.000.log"],
    { maxBackups: 1, maxAgeDays: 1, compress: true },
    [],
    [],
  ],
])("of rotated files %s", (_name, names, options, remove, compress) => {
  const plan = planOf(backupsOf("audit.log", names), options, clock.nowMs());
  expect(plan.remove.map(({ name }) => name)).toEqual(remove);
  expect(plan.compress.map(({ name }) => name)).toEqual(compress);
});
