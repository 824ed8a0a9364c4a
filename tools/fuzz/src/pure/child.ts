import { writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { BLOCK_SIZE, blockSeed, caseNumber, casesOf } from "../case-arbitrary.ts";
import { findingKey } from "../findings.ts";
import type { FuzzCase, PureTarget } from "../target.ts";
import { pureTargets } from "./index.ts";
import { judge } from "./judge.ts";

/** What the parent asks for, as the only argument. */
export interface ChildPlan {
  readonly targets: readonly string[];
  readonly seed: number;
  /** Number of the first case of each target; the blocks after its own follow whole. */
  readonly from: Readonly<Record<string, number>>;
  readonly untilMs: number;
  /** Whether only the first case of each target is checked. */
  readonly once?: boolean;
  /** Share of the time that is spent sleeping, for the sake of others on the machine. */
  readonly idle: number;
}

/** What the child reports. */
export type ChildReport =
  | { readonly type: "finding"; readonly target: string; readonly message: string; readonly input: FuzzCase }
  | { readonly type: "counts"; readonly counts: Readonly<Record<string, number>> };

const PROGRESS_FD = 3;
const SLICE_MS = 25;
/** Time for a block, the smaller cases of a finding included. */
const BLOCK_MS = 8000;

const report = (message: ChildReport): boolean => process.send?.(message) ?? false;

/** Whoever watches knows by this what the process died of. */
const tell = (target: string, index: number): void =>
  void writeSync(PROGRESS_FD, `${JSON.stringify({ target, index }).padEnd(80)}\n`, 0);

/** Runs in a process of its own: what it finds may be an endless loop or the end of the process. */
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
  tell(target.name, index);
  const input = caseNumber(target, seed, index);
  const message = judge(target, input);
  if (message !== undefined) report({ type: "finding", target: target.name, message, input });
}

/** Checks a block of cases up to the first finding that is not known, which is made small and reported. */
function checkBlock(target: PureTarget, seed: number, block: number, known: Set<string>): void {
  let index = block * BLOCK_SIZE;
  /** What the smaller cases have to show as well. */
  let sought: string | undefined;
  let found: { readonly input: FuzzCase; readonly message: string } | undefined;
  const passes = (input: FuzzCase): boolean => {
    if (sought === undefined) tell(target.name, index++);
    const message = judge(target, input);
    if (message === undefined) return true;
    const key = findingKey(target.name, message);
    if (sought === undefined ? known.has(key) : key !== sought) return true;
    found = { input, message };
    // Smaller cases of what is slow are not looked for: each would take its time.
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
