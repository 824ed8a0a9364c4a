import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startGuarded, type TestApiServer } from "@orchernetes/testkit";
import { median } from "../compare/comparison.ts";
import { burst, burstOf, untilWorking } from "../load/deployment-burst.ts";
import type { Row } from "../row.ts";
import { controllerManagerFlags, startControllerManager } from "../servers/controller-manager.ts";

/** Names the program of the original's controller manager, built for this dialect. */
const VARIABLE = "ORCH_REFERENCE_CONTROLLER_MANAGER";
const ROUNDS = 5;
/** Bursts of each side in a round: the first ones of a process, and one of a process that has run for a while. */
const BURSTS = 2;
const REST_MS = 2000;

const program = process.env[VARIABLE] ?? "";

type Side = "ours" | "theirs";

/**
 * The same bursts as in row `deployments` by this controller manager and by the original's, in turns at one API server. Each starts
 * anew for its turn; the other one does not run meanwhile.
 */
export const deploymentsBeside: Row = {
  id: "deployments-beside",
  unavailable: existsSync(program) ? undefined : `${VARIABLE} names no program`,
  measures: [
    {
      id: "deployments-beside",
      work: "20 Deployments × 100 replicas to pods, in turns with the original's",
      unit: "pods/s",
    },
    { id: "deployments-reference", work: "… the original's controller manager at the same API server", unit: "pods/s" },
    { id: "deployments-ratio", work: "… of its rate, median of the rounds", unit: "%", atLeast: 130 },
  ],
  async run({ quick, startServer, note }) {
    const server = await startServer();
    const rates = { ours: [] as number[], theirs: [] as number[] };
    for (let round = 0; round < (quick ? 1 : ROUNDS); round++) {
      const order: readonly Side[] = round % 2 === 0 ? ["ours", "theirs"] : ["theirs", "ours"];
      for (const side of order) rates[side].push(await turn(server, side, quick, `${side}-${round}`));
    }
    const ratios = rates.ours.map((rate, round) => (100 * rate) / (rates.theirs[round] ?? Number.NaN));
    const range = [Math.min(...ratios), Math.max(...ratios)].map((ratio) => ratio.toFixed(0));
    note(`${ratios.length} rounds, ${range.join(" to ")} %; burst ${BURSTS} of each start; load by Node`);
    return {
      "deployments-beside": median(rates.ours),
      "deployments-reference": median(rates.theirs),
      "deployments-ratio": median(ratios),
    };
  },
};

/** Runs a controller manager for some bursts. @returns the pods per second of the last one */
async function turn(server: TestApiServer, side: Side, quick: boolean, prefix: string): Promise<number> {
  const manager = await (side === "ours" ? startControllerManager(server) : startReference(server));
  try {
    await untilWorking(server, `${prefix}-warm`);
    let rate = 0;
    for (let count = 0; count < BURSTS; count++) {
      await sleep(REST_MS);
      rate = await burst(server, burstOf(quick), `${prefix}-${count}`);
    }
    await sleep(REST_MS);
    return rate;
  } finally {
    await manager.stop();
  }
}

async function startReference(server: TestApiServer): Promise<{ stop(): Promise<unknown> }> {
  const command = [program, ...(await controllerManagerFlags(server))];
  const child = await startGuarded({ command, logFile: join(server.dir, "reference.log") });
  return { stop: () => child.end() };
}
