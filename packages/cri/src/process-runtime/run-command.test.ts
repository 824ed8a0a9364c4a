import { EventEmitter } from "node:events";
import { expect, test } from "vitest";
import { exitCodeOf, runCommand } from "./run-command.ts";

test.each([
  ["an exit code", 5, null, 5],
  ["a signal", null, "SIGKILL" as const, 137],
])("%s is reported even if the child ends right after the call", async (_, code, signal, want) => {
  const child = Object.assign(new EventEmitter(), { exitCode: null, signalCode: null });
  const seen = exitCodeOf(child);
  Object.assign(child, { exitCode: code, signalCode: signal });
  child.emit("exit", code, signal);
  expect(await seen).toBe(want);
});

test.each([
  [{ exitCode: 3, signalCode: null }, 3],
  [{ exitCode: null, signalCode: "SIGTERM" as const }, 143],
])("a child that ended before: %o", async (state, want) => {
  expect(await exitCodeOf(Object.assign(new EventEmitter(), state))).toBe(want);
});

const shell = (script: string) => ({ file: "/bin/sh", argv: ["sh", "-c", script], env: {}, cwd: "/" });

test("a command's output is cut at the limit, and its exit code is reported", async () => {
  const result = await runCommand(shell("echo 123456789; echo e >&2; exit 4"), 60_000, 4);
  expect([String(result?.stdout), String(result?.stderr), result?.exitCode]).toEqual(["1234", "e\n", 4]);
});

test("a command that takes too long is killed", async () => {
  expect(await runCommand(shell("sleep 60"), 50, 100)).toBeUndefined();
});
