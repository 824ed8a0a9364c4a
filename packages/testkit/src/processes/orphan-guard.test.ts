import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { poll } from "./poll.ts";

const dir = mkdtempSync(join(tmpdir(), "orphan-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** Starts a process that sets a guard, says so, and does what `then` says. */
function guarded(name: string, then: string) {
  const marker = join(dir, name);
  const code = `
    import { writeFileSync } from "node:fs";
    import { guardAgainstOrphans } from ${JSON.stringify(join(import.meta.dirname, "orphan-guard.ts"))};
    const guard = guardAgainstOrphans(["touch", ${JSON.stringify(marker)}]);
    writeFileSync(${JSON.stringify(`${marker}.set`)}, "");
    ${then}`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", code], { stdio: "ignore" });
  return { child, marker };
}

test("runs the command when the process is killed", async () => {
  const { child, marker } = guarded("killed", "setInterval(() => {}, 1000);");
  await poll({ what: "the guard", intervalMs: 20 }, () => existsSync(`${marker}.set`));
  expect(existsSync(marker)).toBe(false);
  child.kill("SIGKILL");
  await poll({ what: "the command", intervalMs: 20 }, () => existsSync(marker));
});

test("does not run the command after it was dismissed", async () => {
  const { child, marker } = guarded("dismissed", "guard.dismiss();");
  await new Promise((resolve) => child.once("exit", resolve));
  await sleep(200);
  expect(existsSync(marker)).toBe(false);
});
