import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { faultsOf, runRound, startApiServer } from "@orchernetes/testkit";
import { seededRandom } from "./random.ts";

const PROGRESS_ROUNDS = 100;

/** What to run. */
export interface RoundsOptions {
  readonly rounds: number;
  readonly store: "embedded" | "etcd";
  /** Clients and faults follow from it; the machine's timing does not. */
  readonly seed: number;
  /** Where the histories of rounds with findings go. */
  readonly out: string;
  readonly signal: AbortSignal;
}

/** Runs rounds on one server, a fault chosen at random in each. Gives how many ran and how many had findings. */
export async function runRounds(
  { rounds, store, seed, out, signal }: RoundsOptions,
  print: (line: string) => void,
): Promise<{ readonly ran: number; readonly failed: number }> {
  const server = await startApiServer({ store, networkToEtcd: true });
  const random = seededRandom(seed);
  const faults = faultsOf(store);
  const counts = new Map<string, number>();
  let operations = 0;
  let events = 0;
  let bookmarks = 0;
  let ran = 0;
  let failed = 0;
  try {
    for (; ran < rounds && !signal.aborted; ran++) {
      const fault = faults[Math.floor(random() * faults.length)] ?? "none";
      const name = `round-${seed}-${ran}`;
      const faultMs = 200 + Math.floor(random() * 1300);
      const { findings, history } = await runRound({ server, name, fault, faultMs, random }).catch((error: unknown) => {
        // The log goes with the server: it is needed to tell why.
        const file = keep(out, `${store}-${name}`, { fault, faultMs, error: String(error), log: server.log(200) });
        throw new Error(`${name} (${fault}, ${faultMs} ms) could not be finished; the log is kept in ${file}`, {
          cause: error,
        });
      });
      counts.set(fault, (counts.get(fault) ?? 0) + 1);
      operations += history.operations.length;
      for (const { records } of history.sessions) {
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

/** Gives the path of the file that it makes. */
function keep(dir: string, name: string, content: unknown): string {
  mkdirSync(dir, { recursive: true });
  const file = join(dir, `${name}.json`);
  writeFileSync(file, JSON.stringify(content));
  return file;
}
