import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { findProgram } from "./probe-container-host.ts";
import { criNamespace } from "./shim-sockets.ts";

const run = promisify(execFile);

/**
 * Deletes the leases of calls that a killed containerd had begun. A lease keeps what a call has made until something refers to it, such as the
 * snapshot of a container: without this, it would stay for a day. Where `ctr` is missing, it does.
 *
 * @param socket of the containerd that was started again
 * @param startedMs when that was, by the wall clock: later leases are those of calls that it serves
 * @returns ids of the deleted ones
 */
export async function removeAbandonedLeases(socket: string, startedMs: number): Promise<readonly string[]> {
  const ctr = findProgram("ctr");
  if (ctr === undefined) return [];
  const leases = (...args: readonly string[]) =>
    run(ctr, ["--address", socket, "--namespace", criNamespace, "leases", ...args]);
  const { stdout } = await leases("list");
  const abandoned = leasesBefore(stdout, startedMs);
  // Deleted by the last one, so that what nothing refers to is collected once.
  for (const [index, id] of abandoned.entries())
    await leases("delete", ...(index === abandoned.length - 1 ? ["--sync"] : []), id);
  return abandoned;
}

/** Ids of the leases in the output of `ctr leases list` that were created in an earlier second. Pure. */
export function leasesBefore(output: string, startedMs: number): readonly string[] {
  const startedSecond = Math.floor(startedMs / 1000) * 1000;
  return output
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([, created = ""]) => Date.parse(created) < startedSecond)
    .map(([id = ""]) => id);
}
