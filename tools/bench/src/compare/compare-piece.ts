import type { TestApiServer } from "@orchernetes/testkit";
import { cpuTimeUs } from "../cpu-time.ts";
import { runLoad, targetOf } from "../load/run-load.ts";
import type { TurnsLoad, TurnsOutcome } from "../load/turns-load.ts";
import type { PieceFigures } from "./comparison.ts";
import type { Piece, Requests, Rounds } from "./pieces.ts";

/** Two servers that run beside each other. */
export interface Sides {
  readonly theirs: TestApiServer;
  readonly ours: TestApiServer;
}

/** Turns of each side for one round: they are a third of a second long, and a round is about a second. */
const TURNS_PER_ROUND = 3;
const WARM_UP_TURNS = 4;

/** Gives a piece of load to both servers in turns. What comes first, while code is compiled, is not counted. */
export const comparePiece = (piece: Piece, sides: Sides, rounds: number): Promise<PieceFigures> =>
  piece.type === "requests"
    ? inTurns(piece.name, piece, sides, rounds * TURNS_PER_ROUND)
    : inRounds(piece.name, piece, sides, rounds);

async function inTurns(
  name: string,
  { templates, connections }: Requests,
  { theirs, ours }: Sides,
  turns: number,
): Promise<PieceFigures> {
  const run = async (title: string, count: number) => {
    const sideOf = (server: TestApiServer) => {
      const target = targetOf(server);
      return { target, pid: server.pid, templates: templates(target, title) };
    };
    const outcome = await runLoad<TurnsLoad, TurnsOutcome>("turns-load", {
      sides: [sideOf(theirs), sideOf(ours)],
      connections,
      turns: count,
    });
    if (outcome.failed > 0) throw new Error(`${name}: ${outcome.failed} requests failed`);
    return outcome.turns;
  };
  await run("warm-up", WARM_UP_TURNS);
  const [first, second] = await run("measured", turns);
  return { name, theirs: first.map(({ cpuUs }) => cpuUs), ours: second.map(({ cpuUs }) => cpuUs) };
}

async function inRounds(name: string, piece: Rounds, sides: Sides, rounds: number): Promise<PieceFigures> {
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
  return { name, ...figures };
}
