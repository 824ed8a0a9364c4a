import { tmpdir } from "node:os";
import { join } from "node:path";
import yargs from "yargs";
import { hideBin } from "yargs/helpers";
import { Findings } from "./findings.ts";
import { runFuzzing, targetNames } from "./run-fuzzing.ts";
import { repeatSlow, runSlow, summary, writeTargets } from "./slow/run-slow.ts";
import type { SlowCase } from "./slow/slow-case.ts";

const options = await yargs(hideBin(process.argv))
  .scriptName("fuzz")
  .usage("$0: sends hostile input to parsers and to running servers, and checks how they handle it")
  .option("minutes", { type: "number", default: 5, describe: "Duration of the run" })
  .option("seed", { type: "number", default: Date.now() % 1_000_000, describe: "Seed that determines the cases" })
  .option("targets", {
    type: "string",
    default: "",
    describe: `Comma-separated list of ${targetNames.join(", ")}; with --slow, parts of names such as "/v1/pods json". Empty: all`,
  })
  .option("store", {
    choices: ["embedded", "etcd"] as const,
    default: "embedded" as const,
    describe: "Store of the server",
  })
  .option("slow", {
    type: "boolean",
    default: false,
    describe: "Instead, searches for requests that block the event loop for too long",
  })
  .option("case", { type: "string", describe: "Only measures this slow case: the input.slow of a finding" })
  .option("out", { type: "string", default: join(tmpdir(), "fuzz"), describe: "Folder for findings" })
  .strict()
  .parse();

const end = new AbortController();
process.once("SIGINT", () => end.abort());
process.once("SIGTERM", () => end.abort());
const named = options.targets === "" ? [] : options.targets.split(",");
const targets = named.length === 0 ? targetNames : named;
const unknown = options.slow ? [] : targets.filter((name) => !targetNames.includes(name));
if (unknown.length > 0)
  throw new Error(
    `unknown targets: ${unknown.map((name) => JSON.stringify(name)).join(", ")}; known are ${targetNames.join(", ")}`,
  );
const print = (line: string): void => void process.stdout.write(`${line}\n`);

async function searchSlow(): Promise<{ readonly findings: number }> {
  const { seed, minutes, out } = options;
  const found = new Findings(out, print);
  const untilMs = Date.now() + minutes * 60_000;
  const outcome = await runSlow({ seed, untilMs, only: named, findings: found, signal: end.signal, print });
  for (const { name, cases, worst } of outcome.targets)
    print(`  ${name}, ${cases} cases: ${worst === undefined ? "" : summary(worst)}`);
  const file = writeTargets(out, outcome);
  const { tried, targets: all } = outcome;
  print(
    `seed ${seed}, ${tried} slow cases of ${all.length} targets, ${found.list.length} findings; targets in ${file}`,
  );
  return { findings: found.list.length };
}

if (options.case !== undefined) await repeatSlow(JSON.parse(options.case) as SlowCase, 5, print);
else {
  const run = { ...options, targets, signal: end.signal, print };
  const { findings } = options.slow ? await searchSlow() : await runFuzzing(run);
  // For CI: a run with findings fails.
  process.exitCode = findings === 0 ? 0 : 1;
}
