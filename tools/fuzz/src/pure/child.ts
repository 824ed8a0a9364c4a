import { writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { findingKey } from "../findings.ts";
import { minimize } from "../minimize.ts";
import { caseSeed, Random } from "../random.ts";
import type { FuzzCase, PureTarget } from "../target.ts";
import { pureTargets } from "./index.ts";
import { judge } from "./judge.ts";

/** What the parent asks for, as the only argument. */
export interface ChildPlan {
  readonly targets: readonly string[];
  readonly seed: number;
  /** Number of the first case of each target. */
  readonly from: Readonly<Record<string, number>>;
  readonly untilMs: number;
  /** Number of cases after which a target is done. @default no limit */
  readonly cases?: number;
  /** Share of the time that is spent sleeping, for the sake of others on the machine. */
  readonly idle: number;
}

/** What the child reports. */
export type ChildReport =
  | { readonly type: "finding"; readonly target: string; readonly message: string; readonly input: FuzzCase }
  | { readonly type: "counts"; readonly counts: Readonly<Record<string, number>> };

const PROGRESS_FD = 3;
const SLICE_MS = 25;
const MINIMIZE_MS = 5000;

/** Runs in a process of its own: what it finds may be an endless loop or the end of the process. */
async function runChild(plan: ChildPlan): Promise<void> {
  const report = (message: ChildReport): boolean => process.send?.(message) ?? false;
  const next: Record<string, number> = { ...plan.from };
  const known = new Set<string>();
  const chosen = pureTargets.filter(({ name }) => plan.targets.includes(name));
  let reported = 0;
  const limit = plan.cases ?? Number.POSITIVE_INFINITY;
  const left = (name: string): boolean => (next[name] ?? 0) < (plan.from[name] ?? 0) + limit;
  while (Date.now() < plan.untilMs && chosen.some(({ name }) => left(name))) {
    for (const target of chosen) {
      const end = performance.now() + SLICE_MS;
      while (performance.now() < end && left(target.name)) {
        const index = next[target.name] ?? 0;
        next[target.name] = index + 1;
        // Whoever watches knows by this what the process died of.
        writeSync(PROGRESS_FD, `${JSON.stringify({ target: target.name, index }).padEnd(80)}\n`, 0);
        const input = target.generate(new Random(caseSeed(plan.seed, index)));
        const message = judge(target, input);
        if (message === undefined) continue;
        const key = findingKey(target.name, message);
        if (known.has(key)) continue;
        known.add(key);
        report({ type: "finding", target: target.name, ...(await smallest(target, input, message)) });
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

async function smallest(
  target: PureTarget,
  input: FuzzCase,
  message: string,
): Promise<{ input: FuzzCase; message: string }> {
  if (message.startsWith("slow")) return { input, message };
  const key = findingKey(target.name, message);
  const fails = (candidate: FuzzCase): boolean => findingKey(target.name, judge(target, candidate) ?? "") === key;
  const found = await minimize(input, fails, MINIMIZE_MS);
  return { input: found, message: judge(target, found) ?? message };
}

if (process.send !== undefined) {
  await runChild(JSON.parse(process.argv[2] ?? "{}") as ChildPlan);
  process.disconnect?.();
}
