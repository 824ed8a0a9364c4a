import { Findings } from "./findings.ts";
import { pureTargets } from "./pure/index.ts";
import { runPure } from "./pure/run-pure.ts";
import { daemonTargetNames } from "./server/daemons.ts";
import { runServer, serverTargetNames } from "./server/run-server.ts";

/** All targets. */
export const targetNames: readonly string[] = [
  ...pureTargets.map(({ name }) => name),
  ...serverTargetNames,
  ...daemonTargetNames,
];

/** What to fuzz. */
export interface FuzzOptions {
  readonly minutes: number;
  /** Cases follow from it; their order and timing do not. */
  readonly seed: number;
  readonly targets: readonly string[];
  readonly store: "embedded" | "etcd";
  /** Where findings go. */
  readonly out: string;
  readonly signal: AbortSignal;
  readonly print: (line: string) => void;
}

const WORKERS = 8;
const WINDOW_MS = 60_000;

/** Functions in one process, requests from another, both at once. Gives the number of sorts of findings. */
export async function runFuzzing(options: FuzzOptions): Promise<{ readonly findings: number }> {
  const { seed, targets, store, out, signal, print } = options;
  const findings = new Findings(out, print);
  const started = Date.now();
  const untilMs = started + options.minutes * 60_000;
  const pure = targets.filter((name) => pureTargets.some((target) => target.name === name));
  const served = targets.filter((name) => !pure.includes(name));
  const common = { seed, untilMs, findings, signal };
  const [pureCounts, server] = await Promise.all([
    pure.length > 0 ? runPure({ ...common, targets: pure, idle: served.length > 0 ? 0.6 : 0.05 }) : {},
    served.length > 0
      ? runServer({ ...common, targets: served, store, workers: WORKERS, windowMs: WINDOW_MS, print })
      : undefined,
  ]);
  const minutes = ((Date.now() - started) / 60_000).toFixed(1);
  print(`seed ${seed}, ${minutes} minutes, ${findings.list.length} findings`);
  for (const [name, count] of Object.entries({ ...pureCounts, ...server?.counts })) print(`  ${name}: ${count}`);
  return { findings: findings.list.length };
}
