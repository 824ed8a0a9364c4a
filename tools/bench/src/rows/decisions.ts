import { workspaceRoot } from "@orchernetes/testkit";
import { runLoad } from "../load/run-load.ts";
import type { Row } from "../row.ts";
import type { DecisionsLoad, DecisionsOutcome } from "../scheduler/decisions-load.ts";
import { shapes } from "../scheduler/shapes.ts";

/** A pod that preempts others may take 5 ms. */
const isPreemption = (id: string): boolean => id.startsWith("preemption");

/** The scheduler's decisions alone, for each shape of the public benchmarks, without a server. */
export const decisions: Row = {
  id: "decisions",
  idle: true,
  measures: shapes.map(({ id, work, nodes }) => ({
    id: `decisions-${id}`,
    work: `decisions on ${nodes.toLocaleString("en")} nodes: ${work}`,
    unit: "pods/s",
    atLeast: isPreemption(id) ? 200 : 800,
  })),
  async run({ quick, note }) {
    const figures: Record<string, number> = {};
    for (const { id } of shapes) {
      const load: DecisionsLoad = { shape: id, root: workspaceRoot, seconds: quick ? 0 : 3 };
      const { rate } = await runLoad<DecisionsLoad, DecisionsOutcome>("../scheduler/decisions-load", load);
      figures[`decisions-${id}`] = rate;
    }
    note("CPU time of one thread; a preemption is both attempts of its pod");
    return figures;
  },
};
