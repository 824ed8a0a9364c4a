/**
 * Compares what calls of the etcd store cost their client in two or more checkouts, such as a worktree of an older commit:
 * `node src/compare-store-calls.ts [--rounds N] [--calls N] [CHECKOUT...]`. This checkout is always measured. The checkouts take turns, so that
 * the load of the machine and the growth of etcd's database affect all of them alike; the table has the medians and the bounds.
 */
import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { startEtcd } from "@orchernetes/storage/testing";
import { workspaceRoot } from "@orchernetes/testkit";
import { CALLS, type CallFigures, type CallParameters } from "./store-calls/call-figures.ts";

const program = fileURLToPath(new URL("./store-calls/call-figures.ts", import.meta.url));
const runProgram = promisify(execFile);

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { rounds: { type: "string", default: "5" }, calls: { type: "string", default: "20000" } },
    allowPositionals: true,
  });
  const checkouts = [...positionals.map((path) => resolve(path)), resolve(workspaceRoot)];
  const measured = new Map<string, CallFigures[]>(checkouts.map((checkout) => [checkout, []]));
  const etcd = await startEtcd({ unsafeNoFsync: true, args: ["--quota-backend-bytes", String(8 * 2 ** 30)] });
  try {
    for (let round = 0; round < Number(values.rounds); round++)
      for (const [i, checkout] of checkouts.entries()) {
        const run = `round-${round}-${i}`;
        const figures = await figuresOf({ checkout, etcdUrl: etcd.url, calls: Number(values.calls), run });
        measured.get(checkout)?.push(figures);
        process.stdout.write(`${run} ${CALLS.map((call) => `${call} ${figures[call].toFixed(1)}`).join(", ")}\n`);
      }
  } finally {
    await etcd.stop();
  }
  process.stdout.write("\nCPU time of a call in µs: median (smallest to largest)\n");
  for (const [checkout, rounds] of measured)
    process.stdout.write(`${checkout}: ${CALLS.map((call) => summary(call, rounds)).join(", ")}\n`);
}

async function figuresOf(parameters: CallParameters): Promise<CallFigures> {
  const { stdout } = await runProgram(process.execPath, [program, JSON.stringify(parameters)]);
  return JSON.parse(stdout) as CallFigures;
}

function summary(call: (typeof CALLS)[number], rounds: readonly CallFigures[]): string {
  const sorted = rounds.map((figures) => figures[call]).toSorted((a, b) => a - b);
  const at = (index: number) => sorted[index]?.toFixed(1);
  return `${call} ${at(Math.floor(sorted.length / 2))} (${at(0)} to ${at(sorted.length - 1)})`;
}

await main();
