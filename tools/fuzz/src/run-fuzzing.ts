import { Findings } from "./findings.ts";
import { pureTargets } from "./pure/index.ts";
import { runPure } from "./pure/run-pure.ts";
import { daemonTargetNames } from "./server/daemons.ts";
import { runServer, serverTargetNames } from "./server/run-server.ts";

/** Names of all targets. */
export const targetNames: readonly string[] = [
  ...pureTargets.map(({ name }) => name),
  ...serverTargetNames,
  ...daemonTargetNames,
];

/** The options of a run. */
export interface FuzzOptions {
  readonly minutes: number;
  /** Determines the cases, but not their order and timing. */
  readonly seed: number;
  readonly targets: readonly string[];
  readonly store: "embedded" | "etcd";
  /** Folder for findings; created when there is one. */
  readonly out: string;
  readonly signal: AbortSignal;
  readonly print: (line: string) => void;
}

// Requests in flight at a time: enough for requests to meet each other in the server.
const WORKERS = 8;
// Time between two measurements at rest; a run needs several to tell a leak from a cache that fills.
const WINDOW_MS = 60_000;

/**
 * Runs pure targets in a child process and sends requests to servers, both at the same time. Returns the number of
 * different findings.
 */
export async function runFuzzing(options: FuzzOptions): Promise<{ readonly findings: number }> {
  const { seed, targets, store, out, signal, print } = options;
  const findings = new Findings(out, print);
  const started = Date.now();
  const untilMs = started + options.minutes * 60_000;
  // With a server on the same machine, the child leaves it most of the CPU: a starved server misses deadlines, which
  // would be false findings.
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
