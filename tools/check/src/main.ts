#!/usr/bin/env node
import { messageOf } from "@orchernetes/kernel";
import { collectEvidence } from "./evidence/collect.ts";
import { judgeAll } from "./judge.ts";
import { parseOptions } from "./options.ts";
import { renderJson, renderText } from "./report.ts";

/** @returns the exit code: 0, 1 if a control fails, 2 if the cluster could not be looked at */
async function main(args: readonly string[]): Promise<number> {
  try {
    const options = await parseOptions(args, process.env.INIT_CWD ?? process.cwd());
    if ("text" in options) {
      process.stdout.write(`${options.text}\n`);
      return 0;
    }
    const judgements = judgeAll(await collectEvidence(options));
    process.stdout.write(`${options.output === "json" ? renderJson(judgements) : renderText(judgements)}\n`);
    return judgements.some(({ status }) => status === "fail") ? 1 : 0;
  } catch (error) {
    process.stderr.write(`check: ${messageOf(error)}\n`);
    return 2;
  }
}

process.exitCode = await main(process.argv.slice(2));
