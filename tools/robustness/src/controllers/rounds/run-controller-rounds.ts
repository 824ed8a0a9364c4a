import { messageOf } from "@orchernetes/kernel";
import { keep } from "../../keep.ts";
import { seededRandom } from "../../random.ts";
import type { RoundsOptions } from "../../run-rounds.ts";
import { selectFaults } from "../../select-faults.ts";
import { type ManagerFault, managerFaults } from "../managers/manager-faults.ts";
import { startControllerCluster } from "./controller-cluster.ts";
import { runControllerRound } from "./run-controller-round.ts";

// A line about progress after this many rounds.
const PROGRESS_ROUNDS = 10;

/**
 * Runs rounds with one API server and two controller managers, each with a random fault, and prints the findings.
 *
 * @returns the number of rounds and of those with findings
 * @throws Error when a round cannot be finished, such as when the server does not start again
 */
export async function runControllerRounds(
  { rounds, store, faults: wanted, seed, out, signal }: RoundsOptions,
  print: (line: string) => void,
): Promise<{ readonly ran: number; readonly failed: number }> {
  const faults = selectFaults(managerFaults, wanted);
  const random = seededRandom(seed);
  const cluster = await startControllerCluster(store, seededRandom(seed + 1));
  const { managers, server } = cluster;
  const counts = new Map<ManagerFault, number>();
  const logs = () => ({ managers: managers.log(400), server: server.log(200) });
  let events = 0;
  let gaps = 0;
  let created = 0;
  let ran = 0;
  let failed = 0;
  try {
    for (; ran < rounds && !signal.aborted; ran++) {
      const fault = faults[Math.floor(random() * faults.length)] ?? "none";
      const faultMs = 300 + Math.floor(random() * 1500);
      const name = `round-${seed}-${ran}`;
      const own = seededRandom(Math.floor(random() * 2 ** 32));
      const round = runControllerRound({ cluster, name, fault, faultMs, random: own });
      const { findings, history } = await round.catch((error: unknown) => {
        const file = keep(out, `controllers-${name}`, { fault, faultMs, error: messageOf(error), ...logs() });
        throw new Error(`${name} (${fault}, ${faultMs} ms) could not be finished; the logs are kept in ${file}`, {
          cause: error,
        });
      });
      counts.set(fault, (counts.get(fault) ?? 0) + 1);
      events += history.events.length;
      gaps += history.gaps.length;
      created += new Set(history.events.flatMap(({ object }) => (object.kind === "Pod" ? object.uid : []))).size;
      if ((ran + 1) % PROGRESS_ROUNDS === 0) print(`controllers: ${ran + 1} of ${rounds} rounds`);
      if (findings.length === 0) continue;
      failed++;
      const file = keep(out, `controllers-${name}`, { fault, faultMs, findings, history, ...logs() });
      print(`${name} (${fault}, ${faultMs} ms): ${findings.length} findings, kept in ${file}`);
      for (const finding of findings.slice(0, 5)) print(`  ${finding}`);
    }
    const faultCounts = [...counts].map(([fault, count]) => `${fault} ${count}`).join(", ");
    // Failovers are counted, because a run without any would check little.
    print(
      `controllers: ${ran} rounds (${faultCounts}), ${created} pods, ${events} events with ${gaps} gaps, ${managers.terms()} terms of leaders, ${managers.restarts} restarts, ${failed} rounds with findings`,
    );
  } finally {
    await cluster.stop();
  }
  return { ran, failed };
}
