import { writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { BLOCK_SIZE, blockSeed, caseNumber, casesOf } from "../case-arbitrary.ts";
import { findingKey } from "../findings.ts";
import type { FuzzCase, PureTarget } from "../target.ts";
import { pureTargets } from "./index.ts";
import { judge } from "./judge.ts";

/** The task of the child process, passed as JSON in its only argument. */
export interface ChildPlan {
  readonly targets: readonly string[];
  readonly seed: number;
  /** Number of the first case by target. After the rest of that block, whole blocks follow. */
  readonly from: Readonly<Record<string, number>>;
  readonly untilMs: number;
  /** Whether to check only the first case of each target. */
  readonly once?: boolean;
  /** Share of the time, from 0 to below 1, to sleep so that other processes on the machine get CPU. */
  readonly idle: number;
}

/** A message from the child to its parent. */
export type ChildReport =
  | { readonly type: "finding"; readonly target: string; readonly message: string; readonly input: FuzzCase }
  | { readonly type: "counts"; readonly counts: Readonly<Record<string, number>> };

// File descriptor to which the parent has opened the progress file.
const PROGRESS_FD = 3;
// Time for one target before the next one has its turn.
const SLICE_MS = 25;
/** Time for a block, including shrinking a finding. */
const BLOCK_MS = 8000;

const report = (message: ChildReport): boolean => process.send?.(message) ?? false;

/**
 * Records which case is about to run. Written synchronously and always at the start of the file: if the process then
 * hangs or dies, the parent finds the case there. A message would still be in the queue.
 */
const recordProgress = (target: string, index: number): void =>
  void writeSync(PROGRESS_FD, `${JSON.stringify({ target, index }).padEnd(80)}\n`, 0);

/**
 * Checks cases until the time is over. Runs in a process of its own, because a case may loop forever or end the
 * process.
 */
async function runChild(plan: ChildPlan): Promise<void> {
  const chosen = pureTargets.filter(({ name }) => plan.targets.includes(name));
  const known = new Set<string>();
  const next: Record<string, number> = { ...plan.from };
  if (plan.once === true) {
    for (const target of chosen) checkOne(target, plan.seed, next[target.name] ?? 0);
    return;
  }
  let reported = 0;
  while (Date.now() < plan.untilMs) {
    for (const target of chosen) {
      const end = performance.now() + SLICE_MS;
      while (performance.now() < end) {
        const block = Math.ceil((next[target.name] ?? 0) / BLOCK_SIZE);
        next[target.name] = (block + 1) * BLOCK_SIZE;
        checkBlock(target, plan.seed, block, known);
      }
      await sleep((SLICE_MS * plan.idle) / (1 - plan.idle));
    }
    if (Date.now() - reported > 1000) {
      reported = Date.now();
      report({ type: "counts", counts: next });
    }
  }
  report({ type: "counts", counts: next });
}

function checkOne(target: PureTarget, seed: number, index: number): void {
  recordProgress(target.name, index);
  const input = caseNumber(target, seed, index);
  const message = judge(target, input);
  if (message !== undefined) report({ type: "finding", target: target.name, message, input });
}

/** Checks a block of cases up to the first finding that is not known yet, then shrinks and reports that one. */
function checkBlock(target: PureTarget, seed: number, block: number, known: Set<string>): void {
  let index = block * BLOCK_SIZE;
  /** Key of the finding that smaller cases must show as well. */
  let sought: string | undefined;
  let found: { readonly input: FuzzCase; readonly message: string } | undefined;
  const passes = (input: FuzzCase): boolean => {
    if (sought === undefined) recordProgress(target.name, index++);
    const message = judge(target, input);
    if (message === undefined) return true;
    const key = findingKey(target.name, message);
    if (sought === undefined ? known.has(key) : key !== sought) return true;
    found = { input, message };
    // Slow cases are not shrunk: each smaller case would take its time as well.
    sought = message.startsWith("slow") ? "" : key;
    known.add(key);
    return false;
  };
  fc.check(fc.property(casesOf(target), passes), {
    seed: blockSeed(seed, block),
    numRuns: BLOCK_SIZE,
    interruptAfterTimeLimit: BLOCK_MS,
  });
  if (found !== undefined) report({ type: "finding", target: target.name, ...found });
}

if (process.send !== undefined) {
  await runChild(JSON.parse(process.argv[2] ?? "{}") as ChildPlan);
  process.disconnect?.();
}
