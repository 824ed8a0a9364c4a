import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { silentLogger } from "@orchernetes/kernel";
import { afterEach, beforeEach, expect, test } from "vitest";
import { applyProcessLimits } from "./process-limits.ts";

let child: ReturnType<typeof spawn>;
let pid: number;
beforeEach(async () => {
  child = spawn("sleep", ["60"]);
  await once(child, "spawn");
  pid = child.pid ?? 0;
});
afterEach(() => void child.kill("SIGKILL"));

const openFiles = (): string =>
  /^Max open files\s+(\d+\s+\d+)/m.exec(readFileSync(`/proc/${pid}/limits`, "utf8"))?.[1]?.replace(/\s+/, " ") ?? "";

// shows: oomScoreAdj, maxOpenFiles
test("oomScoreAdj and maxOpenFiles are applied to the process", async () => {
  await applyProcessLimits({ oomScoreAdj: 500, maxOpenFiles: 999 }, silentLogger, pid);
  expect(readFileSync(`/proc/${pid}/oom_score_adj`, "utf8").trim()).toBe("500");
  expect(openFiles()).toBe("999 999");
});

test("errors are logged, and maxOpenFiles 0 leaves the limit unchanged", async () => {
  const before = openFiles();
  await applyProcessLimits({ oomScoreAdj: 500, maxOpenFiles: 0 }, silentLogger, pid);
  expect(openFiles()).toBe(before);
  const warnings: string[] = [];
  const logger = { ...silentLogger, warn: (text: string) => void warnings.push(text) };
  await applyProcessLimits({ oomScoreAdj: 500, maxOpenFiles: 999 }, logger, 2 ** 22 + 1);
  expect(warnings).toEqual(["Failed to apply oomScoreAdj", "Failed to set rlimit on max file handles"]);
});
