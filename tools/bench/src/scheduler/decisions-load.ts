import { median } from "../compare/comparison.ts";
import { loadProgram } from "../load/load-program.ts";
import { Decisions, loadScheduler } from "./decisions.ts";
import { shapes } from "./shapes.ts";

/** Decisions about the pods of a shape, as many rounds as fit in a time. */
export interface DecisionsLoad {
  readonly shape: string;
  /** Folder of the workspace whose scheduler decides, ending with a slash. */
  readonly root: string;
  readonly seconds: number;
}

/** The pods per second of the median round; a pod that preempts others counts once, with both of its attempts. */
export interface DecisionsOutcome {
  readonly rate: number;
  readonly rounds: number;
}

await loadProgram<DecisionsLoad>(async ({ shape: id, root, seconds }) => {
  const shape = shapes.find((one) => one.id === id);
  if (shape === undefined) throw new Error(`no shape "${id}"; there are ${shapes.map((one) => one.id).join(", ")}`);
  const decisions = new Decisions(shape, await loadScheduler(root));
  // The first round is without compiled code.
  decisions.measure();
  const rounds: number[] = [];
  const endMs = performance.now() + seconds * 1000;
  while (rounds.length < 3 || performance.now() < endMs) rounds.push(decisions.measure());
  return { rate: (shape.measured.count * 1000) / median(rounds), rounds: rounds.length } satisfies DecisionsOutcome;
});
