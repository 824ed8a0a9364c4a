import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { startGuarded } from "./guarded-process.ts";
import { poll } from "./poll.ts";

const dir = mkdtempSync(join(tmpdir(), "guarded-"));
const logFile = join(dir, "log");
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const isRunning = (pid: number): boolean => {
  try {
    return !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ");
  } catch {
    return false;
  }
};

test("passes on the output and the exit code", async () => {
  const child = await startGuarded({ command: ["/bin/sh", "-c", "echo hello; exit 3"], logFile });
  expect(await child.exited).toBe(3);
  expect(child.running).toBe(false);
  expect(readFileSync(logFile, "utf8")).toBe("hello\n");
});

test.each([
  ["on SIGTERM", "SIGTERM", 143],
  ["on SIGKILL", "SIGKILL", 137],
] as const)("the very program ends %s", async (_, signal, code) => {
  const child = await startGuarded({ command: ["sleep", "60"], logFile });
  expect(isRunning(child.pid)).toBe(true);
  expect(await child.end(signal)).toBe(code);
  expect(isRunning(child.pid)).toBe(false);
});

test("kills a process that ignores the signal", async () => {
  const child = await startGuarded({ command: ["/bin/sh", "-c", "trap '' TERM; sleep 60 & wait; wait"], logFile });
  await poll({ what: "the trap", timeoutMs: 30_000 }, () => isRunning(child.pid));
  expect(await child.end("SIGTERM", 200)).toBeGreaterThanOrEqual(137);
});

test("ends when its parent ends, even if that is killed", async () => {
  const pidFile = join(dir, "pid");
  const code = `
    import { writeFileSync } from "node:fs";
    import { startGuarded } from ${JSON.stringify(join(import.meta.dirname, "guarded-process.ts"))};
    const child = await startGuarded({ command: ["sleep", "60"], logFile: ${JSON.stringify(logFile)} });
    writeFileSync(${JSON.stringify(pidFile)}, String(child.pid));
    setInterval(() => {}, 1000);`;
  const parent = spawn(process.execPath, ["--input-type=module", "-e", code], { stdio: "ignore" });
  const pid = await poll(
    { what: "the child", intervalMs: 20 },
    () => existsSync(pidFile) && Number(readFileSync(pidFile)),
  );
  expect(isRunning(pid)).toBe(true);
  parent.kill("SIGKILL");
  await poll({ what: "the child's end", intervalMs: 20 }, () => !isRunning(pid));
});
