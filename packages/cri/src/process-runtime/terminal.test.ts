import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { hasTerminals } from "./host-command.ts";
import { findTerminal } from "./terminal.ts";

const terminals = process.platform === "linux" && hasTerminals();

test.skipIf(!terminals)("a terminal that is created late is found", async () => {
  const line = "sleep 1.2; exec script -qefc 'sleep 60' /dev/null";
  const child = spawn("/bin/sh", ["-c", line], { stdio: ["pipe", "ignore", "ignore"], detached: true });
  await once(child, "spawn");
  try {
    expect(await findTerminal(child.pid ?? 0, new AbortController().signal)).toMatch(/^\/dev\/pts\/\d+$/);
  } finally {
    process.kill(-(child.pid ?? 0), "SIGKILL");
  }
});

test.skipIf(!terminals)("the search ends when the program ends or the client disconnects", async () => {
  const child = spawn("/bin/sh", ["-c", "read line"], { stdio: ["pipe", "ignore", "ignore"] });
  await once(child, "spawn");
  const leaving = new AbortController();
  const left = findTerminal(child.pid ?? 0, leaving.signal);
  leaving.abort();
  expect(await left).toBeUndefined();
  const ended = findTerminal(child.pid ?? 0, new AbortController().signal);
  child.stdin.end();
  expect(await ended).toBeUndefined();
});
