import { faultsOf, runRound, startApiServer } from "@orchernetes/testkit";
import { keep } from "./keep.ts";
import { seededRandom } from "./random.ts";
import { selectFaults } from "./select-faults.ts";

// A line about progress after this many rounds: runs of thousands of rounds take hours.
const PROGRESS_ROUNDS = 100;

/** The options of {@link runRounds}. */
export interface RoundsOptions {
  readonly rounds: number;
  readonly store: "embedded" | "etcd";
  /** The faults to choose from; all if there is none. */
  readonly faults: readonly string[];
  /** Determines clients and faults, but not the timing of the machine. */
  readonly seed: number;
  /** Folder for the histories of rounds with findings; created when there is one. */
  readonly out: string;
  readonly signal: AbortSignal;
}

/**
 * Runs rounds on one server, each with a random fault, and prints the findings. Rounds share the server, because
 * faults must not damage what earlier rounds wrote.
 *
 * @returns the number of rounds and of those with findings
 * @throws Error when a round cannot be finished, such as when the server does not start again
 */
export async function runRounds(
  { rounds, store, faults: wanted, seed, out, signal }: RoundsOptions,
  print: (line: string) => void,
): Promise<{ readonly ran: number; readonly failed: number }> {
  const faults = selectFaults(faultsOf(store), wanted);
  const server = await startApiServer({ store, networkToEtcd: true });
  const random = seededRandom(seed);
  const counts = new Map<string, number>();
  let operations = 0;
  let events = 0;
  let bookmarks = 0;
  let ran = 0;
  let failed = 0;
  try {
    for (; ran < rounds && !signal.aborted; ran++) {
      // Fault and duration come from the seed before the round starts, so that the timing of the round cannot change
      // those of later rounds.
      const fault = faults[Math.floor(random() * faults.length)] ?? "none";
      const name = `round-${seed}-${ran}`;
      const faultMs = 200 + Math.floor(random() * 1300);
      const { findings, history } = await runRound({ server, name, fault, faultMs, random }).catch((error: unknown) => {
        // The log is removed with the server, and is needed to find the reason.
        const file = keep(out, `${store}-${name}`, { fault, faultMs, error: String(error), log: server.log(200) });
        throw new Error(`${name} (${fault}, ${faultMs} ms) could not be finished; the log is kept in ${file}`, {
          cause: error,
        });
      });
      counts.set(fault, (counts.get(fault) ?? 0) + 1);
      operations += history.operations.length;
      for (const { records } of history.sessions) {
        // Counted apart: a run without bookmarks or without events would check nothing and must be noticed.
        const marks = records.filter(({ type }) => type === "BOOKMARK").length;
        bookmarks += marks;
        events += records.length - marks;
      }
      if ((ran + 1) % PROGRESS_ROUNDS === 0) print(`${store}: ${ran + 1} of ${rounds} rounds`);
      if (findings.length === 0) continue;
      failed++;
      const file = keep(out, `${store}-${name}`, { fault, faultMs, findings, history, log: server.log(200) });
      print(`${name} (${fault}, ${faultMs} ms): ${findings.length} findings, kept in ${file}`);
      for (const finding of findings.slice(0, 5)) print(`  ${finding}`);
    }
  } finally {
    await server.stop();
  }
  const faultCounts = [...counts].map(([fault, count]) => `${fault} ${count}`).join(", ");
  print(
    `${store}: ${ran} rounds (${faultCounts}), ${operations} requests, ${events} watch events, ${bookmarks} bookmarks, ${failed} rounds with findings`,
  );
  return { ran, failed };
}
