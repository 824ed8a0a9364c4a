import { resolve } from "node:path";
import { etcdAvailable } from "@orchernetes/testkit";
import { startBenchServer } from "../servers/bench-server.ts";
import { comparePiece, type Sides } from "./compare-piece.ts";
import { type Comparison, comparisonsOf, type PieceFigures } from "./comparison.ts";
import { pieces, prepare } from "./pieces.ts";

/** How much is measured. */
export interface ComparisonPlan {
  /** Folder of the other checkout, with its dependencies installed. */
  readonly folder: string;
  /** Rounds of each piece of load, over all starts. */
  readonly rounds: number;
  /** How many times the servers are started. Each start has an equal share of the rounds, rounded up. */
  readonly starts: number;
}

/**
 * Compares the CPU time that the API servers of two checkouts need for an answer.
 *
 * Both servers of a store run beside each other, and each piece of load goes to one right after the other: CPU time in the same second
 * depends much less on what else the machine does than rates of different minutes. The sides take turns in going first, and what comes
 * first after a start, while code is compiled, is not counted.
 *
 * A process keeps for its life what its start made of it: where its memory lies, what the compiler optimised. Two processes of the same
 * code differ by up to a tenth, and no number of rounds shows that. Hence several starts, in which the sides take turns in being first, and
 * each of which counts as one figure.
 */
export async function compare({ folder, rounds, starts }: ComparisonPlan): Promise<readonly Comparison[]> {
  const root = `${resolve(folder)}/`;
  const results: Comparison[] = [];
  for (const store of ["etcd", "embedded"] as const) {
    if (store === "etcd" && !etcdAvailable()) continue;
    const found: PieceFigures[][] = [];
    for (let start = 0; start < starts; start++) {
      process.stdout.write(`comparing with store ${store}, start ${start + 1} of ${starts} …\n`);
      const sides = await startSides(store, root, start % 2 === 0);
      try {
        await Promise.all([prepare(sides.theirs), prepare(sides.ours)]);
        const measured: PieceFigures[] = [];
        for (const piece of pieces.filter((one) => one.store === store))
          measured.push(await comparePiece(piece, sides, Math.ceil(rounds / starts)));
        found.push(measured);
      } finally {
        await Promise.all([sides.theirs.stop(), sides.ours.stop()]);
      }
    }
    results.push(...comparisonsOf(found));
  }
  return results;
}

async function startSides(store: "etcd" | "embedded", root: string, isTheirsFirst: boolean): Promise<Sides> {
  const startTheirs = () => startBenchServer(store, { root });
  const startOurs = () => startBenchServer(store);
  const first = await (isTheirsFirst ? startTheirs : startOurs)();
  try {
    const second = await (isTheirsFirst ? startOurs : startTheirs)();
    return isTheirsFirst ? { theirs: first, ours: second } : { theirs: second, ours: first };
  } catch (error) {
    await first.stop();
    throw error;
  }
}
