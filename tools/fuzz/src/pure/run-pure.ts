import { fork } from "node:child_process";
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { caseNumber } from "../case-arbitrary.ts";
import type { Findings } from "../findings.ts";
import { cpuSeconds } from "../server/vital-signs.ts";
import type { ChildPlan, ChildReport } from "./child.ts";
import { pureTargets } from "./index.ts";

/** The options of {@link runPure}. */
export interface PureRun {
  readonly targets: readonly string[];
  readonly seed: number;
  readonly untilMs: number;
  readonly idle: number;
  readonly findings: Findings;
  readonly signal: AbortSignal;
}

/** CPU time after which a case counts as a hang. Not time on the clock: on a busy machine any case may take long. */
const HANG_SECONDS = 60;

/**
 * Fuzzes functions in a child process until the time is over. When the child dies or hangs, that is a finding, and
 * another child continues with the next case.
 *
 * @returns number of cases by target
 * @throws Error when the child ends before its first case
 */
export async function runPure(run: PureRun): Promise<Record<string, number>> {
  const folder = mkdtempSync(join(tmpdir(), "fuzz-"));
  const progressFile = join(folder, "progress");
  let from: Record<string, number> = {};
  try {
    while (Date.now() < run.untilMs && !run.signal.aborted) {
      writeFileSync(progressFile, "");
      const plan: ChildPlan = { targets: run.targets, seed: run.seed, from, untilMs: run.untilMs, idle: run.idle };
      const end = await runChild(plan, progressFile, run, (counts) => {
        from = { ...counts };
      });
      if (end === "done") break;
      const text = readFileSync(progressFile, "utf8").trim();
      if (text === "") throw new Error(`the fuzzing process ended before its first case: ${end}`);
      const { target, index } = JSON.parse(text) as { readonly target: string; readonly index: number };
      from = { ...from, [target]: index + 1 };
      if (end.startsWith("hang")) {
        // A machine that stood still looks like a hang. A case that really hangs does so again.
        const untilMs = Date.now() + 600_000;
        const once = { ...plan, targets: [target], from: { [target]: index }, untilMs, once: true };
        if ((await runChild(once, progressFile, run, () => undefined)) === "done") continue;
      }
      if (!run.findings.seen(target, end)) {
        const found = pureTargets.find(({ name }) => name === target);
        run.findings.add({ target, message: end, input: found && caseNumber(found, run.seed, index) });
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return from;
}

/** Runs one child. Resolves to "done", or to what ended it early. */
function runChild(
  plan: ChildPlan,
  progressFile: string,
  run: PureRun,
  counted: (counts: Readonly<Record<string, number>>) => void,
): Promise<string> {
  const { findings, signal } = run;
  return new Promise((resolve) => {
    const progress = openSync(progressFile, "r+");
    const child = fork(fileURLToPath(new URL("./child.ts", import.meta.url)), [JSON.stringify(plan)], {
      stdio: ["ignore", "inherit", "inherit", progress, "ipc"],
      execArgv: ["--max-old-space-size=1024"],
    });
    let last = "";
    let since = 0;
    let hung = false;
    const watch = setInterval(() => {
      const now = readFileSync(progressFile, "utf8");
      const used = cpuSeconds(child.pid ?? 0);
      if (now !== last) {
        last = now;
        since = used;
      } else if (used - since > HANG_SECONDS) {
        hung = true;
        child.kill("SIGKILL");
      }
    }, 1000);
    const stop = (): void => void child.kill("SIGKILL");
    signal.addEventListener("abort", stop, { once: true });
    child.on("message", (report: ChildReport) => {
      if (report.type === "counts") counted(report.counts);
      else if (!findings.seen(report.target, report.message)) findings.add(report);
    });
    child.once("exit", (code, ending) => {
      clearInterval(watch);
      signal.removeEventListener("abort", stop);
      if (code === 0 || signal.aborted) resolve("done");
      else
        resolve(
          hung
            ? `hang: not finished after ${HANG_SECONDS} s of CPU time`
            : `crash: the process ended with ${ending ?? `code ${code}`}`,
        );
    });
  });
}
