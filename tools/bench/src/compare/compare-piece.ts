import type { TestApiServer } from "@orchernetes/testkit";
import type { Comparison } from "./comparison.ts";
import { cpuTimeUs } from "./cpu-time.ts";
import type { Piece } from "./pieces.ts";

/** Two servers that run beside each other. */
export interface Sides {
  readonly theirs: TestApiServer;
  readonly ours: TestApiServer;
}

/** A piece of load, which may differ by side; then both sides can be one server. */
export interface ComparedPiece extends Pick<Piece, "name"> {
  run(server: TestApiServer, round: number, side: keyof Sides): Promise<number>;
}

/** Gives a piece of load to either server, one right after the other, in as many rounds; the first one is not counted. */
export async function comparePiece(piece: ComparedPiece, sides: Sides, rounds: number): Promise<Comparison> {
  const figures = { theirs: [] as number[], ours: [] as number[] };
  for (let round = 0; round <= rounds; round++) {
    const order = round % 2 === 0 ? (["theirs", "ours"] as const) : (["ours", "theirs"] as const);
    for (const side of order) {
      const server = sides[side];
      const before = cpuTimeUs(server.pid);
      const answers = await piece.run(server, round, side);
      if (round > 0) figures[side].push((cpuTimeUs(server.pid) - before) / answers);
    }
  }
  return { name: piece.name, ...figures };
}
