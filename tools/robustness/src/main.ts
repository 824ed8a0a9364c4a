import { tmpdir } from "node:os";
import { join } from "node:path";
import yargs from "yargs";
import { hideBin } from "yargs/helpers";
import { runControllerRounds } from "./controllers/rounds/run-controller-rounds.ts";
import { runNodeRounds } from "./node/rounds/run-node-rounds.ts";
import { runRounds } from "./run-rounds.ts";
import { runSchedulerRounds } from "./schedulers/run-scheduler-rounds.ts";

const options = await yargs(hideBin(process.argv))
  .scriptName("robustness")
  .usage(
    "$0 kills, pauses, slows and disconnects the API server and its store, two controller managers, two schedulers, or the agent and the runtime of a node, while clients record what they observe, and checks the records",
  )
  .option("target", {
    choices: ["store", "controllers", "schedulers", "node"] as const,
    default: "store" as const,
    describe:
      "What is checked: reads, writes and watches, the promises of controllers or schedulers when their leader changes, or a node whose agent and containerd are killed",
  })
  .option("rounds", { type: "number", default: 20, describe: "Number of rounds" })
  .option("store", {
    choices: ["embedded", "etcd"] as const,
    default: "embedded" as const,
    describe: "Store of the server",
  })
  .option("faults", {
    type: "string",
    array: true,
    default: [] as string[],
    describe: "Only these faults; all by default",
  })
  .option("seed", { type: "number", default: Date.now() % 1_000_000, describe: "Seed of the clients and faults" })
  .option("out", {
    type: "string",
    default: join(tmpdir(), "robustness"),
    describe: "Directory for the histories of rounds with findings",
  })
  .strict()
  .parse();

const end = new AbortController();
process.once("SIGINT", () => end.abort());
process.once("SIGTERM", () => end.abort());
const run = { store: runRounds, controllers: runControllerRounds, schedulers: runSchedulerRounds, node: runNodeRounds }[
  options.target
];
const { failed } = await run({ ...options, signal: end.signal }, (line) => process.stdout.write(`${line}\n`));
process.exitCode = failed === 0 ? 0 : 1;
