import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLogger, systemClock } from "@orchernetes/kernel";
import { afterEach, beforeEach, expect, test } from "vitest";
import { hasWaiter, lockFile, lockOf } from "./lock-file.ts";

let dir: string;
let path: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "o8s-lock-"));
  path = join(dir, "lock");
});
afterEach(() => rmSync(dir, { recursive: true }));

const lock = (signal = new AbortController().signal) =>
  lockFile({ path, exitOnContention: true }, { clock: systemClock, logger: silentLogger, signal });
/** Whether the lock is free for another program. */
const isFree = async (): Promise<boolean> => {
  const [code] = await once(spawn("flock", ["--nonblock", path, "true"]), "exit");
  return code === 0;
};

test("--exit-on-lock-contention requires a lock file", () => {
  expect(lockOf({ "lock-file": "", "exit-on-lock-contention": true })).toEqual({
    error: expect.stringMatching(/cannot exit on lock file contention: no lock file specified/),
  });
  expect(lockOf({ "lock-file": "", "exit-on-lock-contention": false })).toEqual({ lock: undefined });
});

// shows: --lock-file
test("another program cannot lock the file until it is released; a program that waits for the lock is detected", async () => {
  const held = await lock();
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(await isFree()).toBe(false);
  const stop = new AbortController();
  const contended = held.contended(stop.signal).then(() => "contended");
  const waiter = spawn("flock", [path, "true"]);
  expect(await contended).toBe("contended");
  held.release();
  expect(await once(waiter, "exit")).toEqual([0, null]);
  await expect.poll(isFree, { timeout: 5000 }).toBe(true);
});

test("the agent waits for a lock that another process holds, until it stops", async () => {
  const first = await lock();
  const stop = new AbortController();
  const second = lock(stop.signal);
  stop.abort(new Error("enough"));
  await expect(second).rejects.toThrow("enough");
  first.release();
});

// shows: --exit-on-lock-contention
test("a file that was deleted counts as contended", async () => {
  const held = await lock();
  rmSync(path);
  await held.contended(new AbortController().signal);
  expect(existsSync(path)).toBe(false);
  held.release();
});

test.each<[string, () => void]>([
  ["another file", () => writeFileSync(path, "")],
  ["a folder", () => mkdirSync(path)],
  ["a link to nothing", () => symlinkSync(join(dir, "none"), path)],
  ["a link to itself", () => symlinkSync("lock", path)],
  [
    "a link to another file",
    () => {
      writeFileSync(join(dir, "other"), "");
      symlinkSync("other", path);
    },
  ],
  ["a FIFO", () => void execFileSync("mkfifo", [path])],
])("a file that was replaced by %s counts as contended", async (_, replace) => {
  const held = await lock();
  renameSync(path, join(dir, "former"));
  replace();
  const stop = new AbortController();
  const result = held.contended(stop.signal).then(() => (stop.signal.aborted ? "stopped" : "contended"));
  const timer = setTimeout(() => stop.abort(), 5000);
  expect(await result).toBe("contended");
  clearTimeout(timer);
  held.release();
});

test("the lock is held even if its file is deleted, until the agent releases it", async () => {
  const held = await lock();
  renameSync(path, join(dir, "moved"));
  path = join(dir, "moved");
  expect(await isFree()).toBe(false);
  held.release();
  expect(await isFree()).toBe(true);
});

test.each<[string, () => void, RegExp | undefined]>([
  ["a folder", () => mkdirSync(path), /EISDIR/],
  ["a FIFO without a reader", () => void execFileSync("mkfifo", [path]), undefined],
  ["a link to itself", () => symlinkSync("lock", path), /ELOOP/],
])("the path of %s does not block the process", async (_, create, error) => {
  create();
  if (error === undefined) (await lock()).release();
  else await expect(lock()).rejects.toThrow(error);
});

test("a folder that does not exist is an error", async () => {
  path = join(dir, "none", "lock");
  await expect(lock()).rejects.toThrow(/ENOENT/);
});

test.each([
  ["1: FLOCK  ADVISORY  WRITE 7 fd:00:42 0 EOF\n1: -> FLOCK  ADVISORY  WRITE 8 fd:00:42 0 EOF\n", true],
  ["1: FLOCK  ADVISORY  WRITE 7 fd:00:42 0 EOF\n1: -> FLOCK  ADVISORY  WRITE 8 fd:00:421 0 EOF\n", false],
  ["", false],
])("/proc/locks %j", (text, want) => {
  expect(hasWaiter(text, 42)).toBe(want);
});
