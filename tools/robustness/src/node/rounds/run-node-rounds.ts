import { join } from "node:path";
import { messageOf } from "@orchernetes/kernel";
import { logTail } from "@orchernetes/testkit";
import { keep } from "../../keep.ts";
import { seededRandom } from "../../random.ts";
import type { RoundsOptions } from "../../run-rounds.ts";
import { selectFaults } from "../../select-faults.ts";
import { startNodeCluster } from "./node-cluster.ts";
import { type NodeFault, nodeFaults } from "./node-faults.ts";
import { PODS, runNodeRound } from "./run-node-round.ts";

/**
 * Runs rounds with one node on a real containerd, each with a random fault, and prints the findings.
 *
 * @returns the number of rounds and of those with findings
 * @throws Error when a round cannot be finished, such as when containerd does not start again
 */
export async function runNodeRounds(
  { rounds, store, faults: wanted, seed, out, signal }: RoundsOptions,
  print: (line: string) => void,
): Promise<{ readonly ran: number; readonly failed: number }> {
  const faults = selectFaults(nodeFaults, wanted);
  const random = seededRandom(seed);
  const node = await startNodeCluster(store);
  const { cluster, doubles } = node;
  const counts = new Map<NodeFault, number>();
  const logs = () => ({
    agent: cluster.log("orchlet-node-1", 2000),
    runtime: logTail(join(node.places.runtime, "containerd.log"), 8000),
  });
  let ran = 0;
  let failed = 0;
  try {
    for (; ran < rounds && !signal.aborted; ran++) {
      const fault = faults[Math.floor(random() * faults.length)] ?? "none";
      const faultMs = Math.floor(random() * 2000);
      const name = `r${ran}`;
      const own = seededRandom(Math.floor(random() * 2 ** 32));
      const begun = performance.now();
      const findings = await runNodeRound({ node, name, fault, faultMs, random: own }).catch((error: unknown) => {
        const file = keep(out, `node-${seed}-${name}`, { fault, faultMs, error: messageOf(error), ...logs() });
        throw new Error(`${name} (${fault}, ${faultMs} ms) could not be finished; the logs are kept in ${file}`, {
          cause: error,
        });
      });
      counts.set(fault, (counts.get(fault) ?? 0) + 1);
      const seconds = ((performance.now() - begun) / 1000).toFixed(0);
      print(`node: round ${ran + 1} of ${rounds} (${fault}, ${faultMs} ms), ${seconds} s`);
      if (findings.length === 0) continue;
      failed++;
      const file = keep(out, `node-${seed}-${name}`, { fault, faultMs, findings, ...logs() });
      print(`${name} (${fault}, ${faultMs} ms): ${findings.length} findings, kept in ${file}`);
      for (const finding of findings.slice(0, 20)) print(`  ${finding}`);
    }
    const faultCounts = [...counts].map(([fault, count]) => `${fault} ${count}`).join(", ");
    print(
      `node: ${ran} rounds (${faultCounts}), ${ran * PODS} pods, ${doubles.looks} looks for containers that run twice, ${failed} rounds with findings`,
    );
  } finally {
    await node.stop();
  }
  return { ran, failed };
}
