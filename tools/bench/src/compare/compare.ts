import { resolve } from "node:path";
import { etcdAvailable, type TestApiServer } from "@orchernetes/testkit";
import { startBenchServer } from "../servers/bench-server.ts";
import type { Comparison } from "./comparison.ts";
import { cpuTimeUs } from "./cpu-time.ts";
import { type Piece, pieces, prepare } from "./pieces.ts";

interface Sides {
  readonly theirs: TestApiServer;
  readonly ours: TestApiServer;
}

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
    const theirs = await startBenchServer(store, root);
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

async function comparePiece(piece: Piece, sides: Sides, rounds: number): Promise<Comparison> {
  const figures = { theirs: [] as number[], ours: [] as number[] };
  for (let round = 0; round <= rounds; round++) {
    const order = round % 2 === 0 ? (["theirs", "ours"] as const) : (["ours", "theirs"] as const);
    for (const side of order) {
      const server = sides[side];
      const before = cpuTimeUs(server.pid);
      const answers = await piece.run(server, round);
      if (round > 0) figures[side].push((cpuTimeUs(server.pid) - before) / answers);
    }
  }
  return { name: piece.name, ...figures };
}
