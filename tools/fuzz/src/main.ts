import { tmpdir } from "node:os";
import { join } from "node:path";
import yargs from "yargs";
import { hideBin } from "yargs/helpers";
import { runFuzzing, targetNames } from "./run-fuzzing.ts";

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
const { findings } = await runFuzzing({ ...options, targets, signal: end.signal, print });
process.exitCode = findings === 0 ? 0 : 1;
