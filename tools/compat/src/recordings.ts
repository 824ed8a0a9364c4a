import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { messageOf } from "@orchernetes/kernel";
import { workspaceRoot } from "@orchernetes/testkit";
import { countGroups, scenarioNames } from "./counts.ts";
import { renderCounts, replaceCounts } from "./document.ts";
import { parseOptions } from "./options.ts";
import { withClient } from "./orchctl/with-client.ts";
import { outcomeOf } from "./outcome.ts";
import { runAll } from "./runs.ts";

const file = `${workspaceRoot}docs/compatibility.md`;

try {
  const options = await parseOptions(process.argv.slice(2));
  const runs = await withClient(options, runAll);
  const groups = countGroups(scenarioNames(options.folder), runs);
  const counts = renderCounts(groups, new Date().toISOString().slice(0, 10));
  process.stdout.write(`${counts}\n`);
  if (options.write) {
    const document = existsSync(file) ? readFileSync(file, "utf8") : undefined;
    writeFileSync(file, replaceCounts(document, counts));
    process.stdout.write(`\nWritten to ${file}\n`);
  }
  process.exitCode = runs.every(({ report }) => report.scenarios.every((scenario) => outcomeOf(scenario) !== "failed"))
    ? 0
    : 1;
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exitCode = 1;
}
