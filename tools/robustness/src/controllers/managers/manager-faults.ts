import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { assertNever } from "@orchernetes/kernel";
import { pauseProcess, poll, slowProcess, type TestApiServer } from "@orchernetes/testkit";
import type { Manager, ManagerPair } from "./manager-pair.ts";

/** How often, a millisecond apart, it is looked whether a process waits. */
const TURN_ATTEMPTS = 2000;

/** What can happen to the leader and to the API server; a round has one of them. */
export const managerFaults = [
  "none",
  "killLeader",
  "stopLeader",
  "pauseLeader",
  "slowLeader",
  "cutLeader",
  "holdLeader",
  "partitionLeader",
  "killServer",
  "pauseServer",
] as const;

/** One of {@link managerFaults}, or a leader that stands still in the middle of a turn. */
export type ManagerFault = (typeof managerFaults)[number] | "freezeLeader";

/**
 * Injects one fault for a time, and removes it. Faults that last are extended beyond the lease, so that the other manager leads
 * before they end.
 *
 * @param lengthMs duration in milliseconds, beyond the lease where that matters
 * @returns when the fault is over, which is not when everything has recovered
 */
export async function injectManagerFault(
  fault: ManagerFault,
  pair: ManagerPair,
  server: TestApiServer,
  lengthMs: number,
): Promise<void> {
  const { leaseMs } = pair;
  switch (fault) {
    case "none":
      return sleep(lengthMs);
    case "killServer":
      await server.kill9();
      return server.restart();
    case "pauseServer":
      return pauseProcess(server.pid, leaseMs / 2 + lengthMs);
    default:
  }
  const leader = await leaderOf(pair);
  switch (fault) {
    case "killLeader":
      return leader.daemon.kill9();
    case "stopLeader":
      return leader.daemon.stop();
    case "pauseLeader":
      await turnEnd(leader.daemon.pid);
      return pauseProcess(leader.daemon.pid, leaseMs + lengthMs);
    case "freezeLeader":
      return pauseProcess(leader.daemon.pid, leaseMs + lengthMs);
    case "slowLeader":
      return slowProcess(leader.daemon.pid, leaseMs + lengthMs);
    case "cutLeader":
      for (const until = performance.now() + lengthMs; performance.now() < until; ) {
        leader.network.cut();
        await sleep(100);
      }
      return;
    case "holdLeader":
      leader.network.hold();
      return healAfter(leader, leaseMs + lengthMs);
    case "partitionLeader":
      // First requests arrive and responses are lost; then requests are lost as well.
      leader.network.blackhole("answers");
      await sleep(leaseMs / 2);
      leader.network.blackhole();
      return healAfter(leader, leaseMs / 2 + lengthMs);
    default:
      return assertNever(fault);
  }
}

async function healAfter({ network }: Manager, ms: number): Promise<void> {
  try {
    await sleep(ms);
  } finally {
    network.heal();
  }
}

/**
 * Resolves when a process waits for its next event. What it has written until then is on its way. In the middle of a turn of its event
 * loop, which takes long on a busy machine, it has checked its lease and handed requests to its connection that are only sent at the end
 * of the turn: no writer can take these back.
 */
async function turnEnd(pid: number): Promise<void> {
  for (let attempt = 0; attempt < TURN_ATTEMPTS; attempt++) {
    const state = /\) (\w) /.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))?.[1];
    if (state === "S") return;
    await sleep(1);
  }
}

/** The manager that leads, when there is one. */
function leaderOf({ managers }: ManagerPair): Promise<Manager> {
  return poll({ what: "a leader", timeoutMs: 60_000, intervalMs: 50 }, () =>
    managers.find((manager) => manager.leads()),
  );
}
