import yargs from "yargs";
import { hideBin } from "yargs/helpers";
import { differences } from "../../../apps/orch-scheduler/src/testing/reference/differences.ts";

const { clusters, seed, findings } = await yargs(hideBin(process.argv))
  .scriptName("scheduler-model")
  .usage("$0: compares the scheduler's filters, scores and decisions with a plain reference over random small clusters")
  .option("clusters", { type: "number", default: 100_000, describe: "Number of clusters" })
  .option("seed", { type: "number", default: 0, describe: "Seed of the first cluster; each further one has the next" })
  .option("findings", { type: "number", default: 10, describe: "Number of clusters with differences to print" })
  .strict()
  .parse();

const print = (line: string): void => void process.stdout.write(`${line}\n`);
let differing = 0;
for (let i = seed; i < seed + clusters; i++) {
  const found = differences(i);
  if (found.length > 0 && ++differing <= findings) print(`seed ${i}:\n  ${found.join("\n  ")}`);
  if ((i - seed + 1) % 10_000 === 0) print(`${i - seed + 1} clusters, ${differing} with differences`);
}
print(`${clusters} clusters from seed ${seed}: ${differing} with differences`);
process.exitCode = differing === 0 ? 0 : 1;
