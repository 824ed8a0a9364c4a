import { resolve } from "node:path";
import { etcdAvailable } from "@orchernetes/testkit";
import { startBenchServer } from "../servers/bench-server.ts";
import { comparePiece } from "./compare-piece.ts";
import type { Comparison } from "./comparison.ts";
import { pieces, prepare } from "./pieces.ts";

/**
 * Compares the CPU time that the API servers of two checkouts need for an answer.
 *
 * Both servers of a store run beside each other, and each piece of load goes to one right after the other: CPU time in the same second
 * depends much less on what else the machine does than rates of different minutes. The sides take turns in going first, and the first
 * round, in which code is compiled, is not counted.
 *
 * @param folder of the other checkout, with its dependencies installed
 */
export async function compare(folder: string, rounds: number): Promise<readonly Comparison[]> {
  const root = `${resolve(folder)}/`;
  const results: Comparison[] = [];
  for (const store of ["etcd", "embedded"] as const) {
    if (store === "etcd" && !etcdAvailable()) continue;
    const theirs = await startBenchServer(store, { root });
    try {
      const ours = await startBenchServer(store);
      try {
        await Promise.all([prepare(theirs), prepare(ours)]);
        for (const piece of pieces.filter((one) => one.store === store)) {
          process.stdout.write(`comparing ${piece.name} …\n`);
          results.push(await comparePiece(piece, { theirs, ours }, rounds));
        }
      } finally {
        await ours.stop();
      }
    } finally {
      await theirs.stop();
    }
  }
  return results;
}
