import { tmpdir } from "node:os";
import { join } from "node:path";
import yargs from "yargs";
import { hideBin } from "yargs/helpers";
import { Findings } from "./findings.ts";
import { runFuzzing, targetNames } from "./run-fuzzing.ts";
import { runSlow } from "./slow/run-slow.ts";

const options = await yargs(hideBin(process.argv))
  .scriptName("fuzz")
  .usage("$0: sends hostile input to parsers and to running servers, and checks what becomes of it")
  .option("minutes", { type: "number", default: 5, describe: "How long" })
  .option("seed", { type: "number", default: Date.now() % 1_000_000, describe: "Determines the cases" })
  .option("targets", {
    type: "string",
    default: "",
    describe: `Comma-separated; of ${targetNames.join(", ")}. Empty: all`,
  })
  .option("store", {
    choices: ["embedded", "etcd"] as const,
    default: "embedded" as const,
    describe: "Store behind the server",
  })
  .option("slow", {
    type: "boolean",
    default: false,
    describe: "Looks for requests that hold the event loop for too long, instead",
  })
  .option("out", { type: "string", default: join(tmpdir(), "fuzz"), describe: "Folder for findings" })
  .strict()
  .parse();

const end = new AbortController();
process.once("SIGINT", () => end.abort());
process.once("SIGTERM", () => end.abort());
const targets = options.targets === "" ? targetNames : options.targets.split(",");
const unknown = targets.filter((name) => !targetNames.includes(name));
if (unknown.length > 0)
  throw new Error(
    `no target ${unknown.map((name) => JSON.stringify(name)).join(", ")}; there are ${targetNames.join(", ")}`,
  );
const print = (line: string): void => void process.stdout.write(`${line}\n`);
const { findings } = options.slow
  ? await lookForSlow()
  : await runFuzzing({ ...options, targets, signal: end.signal, print });

async function lookForSlow(): Promise<{ readonly findings: number }> {
  const { seed, minutes, out } = options;
  const found = new Findings(out, print);
  const untilMs = Date.now() + minutes * 60_000;
  const { tried, worst } = await runSlow({ seed, untilMs, findings: found, signal: end.signal, print });
  print(`seed ${seed}, ${tried} slow cases, ${found.list.length} findings; the slowest:`);
  for (const { worstMs, status, input } of worst.slice(0, 10))
    print(`  ${Math.round(worstMs)} ms, status ${status}: ${JSON.stringify(input).slice(0, 300)}`);
  return { findings: found.list.length };
}
process.exitCode = findings === 0 ? 0 : 1;
