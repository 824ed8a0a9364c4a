/**
 * Runs the scheduler of this project with the reference's API server, and the reference's scheduler with the API server of
 * this project, and prints what they did.
 *
 * `node tools/compat/src/schedulers.ts SUITE [--only TEXT]`
 *
 * @module
 */

import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { messageOf } from "@orchernetes/kernel";
import yargs from "yargs";
import { pairings, runPairing } from "./schedulers/pairings.ts";

async function main(): Promise<boolean> {
  const options = await yargs(process.argv.slice(2))
    .scriptName("schedulers")
    .usage(
      "$0 SUITE [options]\n\nRuns each scheduler with the other's API server. SUITE is the folder of the built suite.",
    )
    .options({ only: { type: "string", requiresArg: true, describe: "Only pairings with this in their name" } })
    .strictOptions()
    .version(false)
    .parseAsync();
  const [suite] = options._.map(String);
  if (suite === undefined) throw new Error("one argument is expected: the folder in which the suite was built");
  const programs = join(resolve(suite), "k8s/_output/bin");
  if (!existsSync(join(programs, "kube-scheduler")))
    throw new Error(`${JSON.stringify(programs)} contains no kube-scheduler`);
  let failed = 0;
  for (const pairing of pairings.filter(({ name }) => name.includes(options.only ?? ""))) {
    process.stdout.write(`${pairing.name}\n`);
    const { results, logs } = await runPairing(pairing, programs, ({ name, error }) => {
      process.stdout.write(error === undefined ? `  ✓ ${name}\n` : `  ✗ ${name}: ${error}\n`);
    });
    const errors = results.filter(({ error }) => error !== undefined).length;
    if (errors > 0) process.stdout.write(`${logs}\n`);
    failed += errors;
  }
  return failed === 0;
}

try {
  process.exitCode = (await main()) ? 0 : 1;
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exitCode = 1;
}
