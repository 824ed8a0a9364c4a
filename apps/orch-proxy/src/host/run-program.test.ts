import { expect, test } from "vitest";
import { ProgramTimeoutError, runProgram } from "./run-program.ts";

test("a program gets its input and returns its output", async () => {
  expect(await runProgram(["cat"], { input: "a\nb", timeoutMs: 10_000 })).toBe("a\nb");
});

test("one that does not read its input, however much it is, fails with its own message", async () => {
  const command = ["sh", "-c", "echo no >&2; exit 3"] as const;
  await expect(runProgram(command, { input: "x".repeat(5_000_000), timeoutMs: 10_000 })).rejects.toThrow(/: no$/);
});

test("one that hangs is killed", async () => {
  const slow = runProgram(["sleep", "60"], { timeoutMs: 100 });
  await expect(slow).rejects.toThrow("ended by SIGKILL within 100 ms");
  await expect(slow).rejects.toThrow(ProgramTimeoutError);
});

test("no more than a part of endless output and of endless messages is kept", async () => {
  const text = await runProgram(["sh", "-c", "head -c 9000000 /dev/zero | tr '\\0' a"], { timeoutMs: 10_000 });
  expect(text.length).toBeLessThan(2_000_000);
  const failing = runProgram(["sh", "-c", "head -c 9000000 /dev/zero | tr '\\0' a >&2; exit 1"], { timeoutMs: 10_000 });
  expect(String(await failing.catch((error: unknown) => error)).length).toBeLessThan(2000);
});
