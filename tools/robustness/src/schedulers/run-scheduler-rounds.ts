import { messageOf } from "@orchernetes/kernel";
import { type ManagerFault, managerFaults } from "../controllers/managers/manager-faults.ts";
import { keep } from "../keep.ts";
import { seededRandom } from "../random.ts";
import type { RoundsOptions } from "../run-rounds.ts";
import { selectFaults } from "../select-faults.ts";
import { runSchedulerRound } from "./run-scheduler-round.ts";
import { startSchedulerCluster } from "./scheduler-cluster.ts";

// A line about progress after this many rounds.
const PROGRESS_ROUNDS = 10;

/** What bindings promise holds also if the leader stands still in the middle of a turn. */
const schedulerFaults: readonly ManagerFault[] = [...managerFaults, "freezeLeader"];

/**
 * Runs rounds with one API server and two schedulers, each with a random fault, and prints the findings.
 *
 * @returns the number of rounds and of those with findings
 * @throws Error when a round cannot be finished, such as when the server does not start again
 */
export async function runSchedulerRounds(
  { rounds, store, faults: wanted, seed, out, signal }: RoundsOptions,
  print: (line: string) => void,
): Promise<{ readonly ran: number; readonly failed: number }> {
  const faults = selectFaults(schedulerFaults, wanted);
  const random = seededRandom(seed);
  const cluster = await startSchedulerCluster(store);
  const { schedulers, server } = cluster;
  const counts = new Map<ManagerFault, number>();
  const logs = () => ({ schedulers: schedulers.log(400), server: server.log(200) });
  let bound = 0;
  let ran = 0;
  let failed = 0;
  try {
    for (; ran < rounds && !signal.aborted; ran++) {
      const fault = faults[Math.floor(random() * faults.length)] ?? "none";
      const faultMs = 200 + Math.floor(random() * 1000);
      const name = `round-${seed}-${ran}`;
      const own = seededRandom(Math.floor(random() * 2 ** 32));
      const round = runSchedulerRound({ cluster, name, fault, faultMs, random: own });
      const { findings, history } = await round.catch((error: unknown) => {
        const file = keep(out, `schedulers-${name}`, { fault, faultMs, error: messageOf(error), ...logs() });
        throw new Error(`${name} (${fault}, ${faultMs} ms) could not be finished; the logs are kept in ${file}`, {
          cause: error,
        });
      });
      counts.set(fault, (counts.get(fault) ?? 0) + 1);
      bound += new Set(history.events.flatMap(({ node, uid }) => (node === "" ? [] : uid))).size;
      if ((ran + 1) % PROGRESS_ROUNDS === 0) print(`schedulers: ${ran + 1} of ${rounds} rounds`);
      if (findings.length === 0) continue;
      failed++;
      const file = keep(out, `schedulers-${name}`, { fault, faultMs, findings, history, ...logs() });
      print(`${name} (${fault}, ${faultMs} ms): ${findings.length} findings, kept in ${file}`);
      for (const finding of findings.slice(0, 5)) print(`  ${finding}`);
    }
    const faultCounts = [...counts].map(([fault, count]) => `${fault} ${count}`).join(", ");
    // Changes of the leader are counted, because a run without any would check little.
    print(
      `schedulers: ${ran} rounds (${faultCounts}), ${bound} pods with a node, ${schedulers.terms()} terms of leaders, ${schedulers.restarts} restarts, ${failed} rounds with findings`,
    );
  } finally {
    await cluster.stop();
  }
  return { ran, failed };
}
