import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
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

test("--exit-on-lock-contention wants a file", () => {
  expect(lockOf({ "lock-file": "", "exit-on-lock-contention": true })).toEqual({
    error: expect.stringMatching(/cannot exit on lock file contention: no lock file specified/),
  });
  expect(lockOf({ "lock-file": "", "exit-on-lock-contention": false })).toEqual({ lock: undefined });
});

// shows: --lock-file
test("another program cannot lock the file until it is released; one that waits for it is noticed", async () => {
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

test("a lock that another process holds is waited for, until the agent stops", async () => {
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
