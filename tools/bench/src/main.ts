import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { etcdAvailable, workspaceRoot } from "@orchernetes/testkit";
import { renderGrowth } from "./growth/render.ts";
import { quickPlan, runGrowth, wholePlan } from "./growth/run-growth.ts";
import { describeMachine, thisMachine } from "./machine.ts";
import { parseOptions } from "./options.ts";
import { addToHistory, readHistory, renderDocument } from "./report/document.ts";
import { textTable } from "./report/table.ts";
import type { Result } from "./row.ts";
import { allRows } from "./rows/index.ts";
import { runRow } from "./run-row.ts";

const file = `${workspaceRoot}docs/benchmarks.md`;
const growthFile = `${workspaceRoot}docs/growth.md`;

const today = (): string => new Date().toISOString().slice(0, 10);

async function main(): Promise<boolean> {
  const ids = allRows.map((row) => row.id);
  const options = await parseOptions(process.argv.slice(2), ids, etcdAvailable());
  const machine = describeMachine(thisMachine());
  process.stdout.write(`${machine}; store ${options.store}${options.quick ? "; quick" : ""}\n`);
  if (options.growth) {
    const print = (line: string) => process.stdout.write(`${line}\n`);
    const report = await runGrowth(options.store, options.quick ? quickPlan : wholePlan, print);
    const page = renderGrowth({ date: today(), machine, store: options.store, ...report });
    if (options.write) writeFileSync(growthFile, page);
    print(options.write ? `Written to ${growthFile}` : page);
    return true;
  }
  const results: Result[] = [];
  const rows = allRows.filter((row) => options.rows.length === 0 || options.rows.includes(row.id));
  for (const row of rows) {
    process.stdout.write(`measuring ${row.id} …`);
    const started = performance.now();
    const measured = await runRow(row, options);
    process.stdout.write(` ${((performance.now() - started) / 1000).toFixed(0)} s\n`);
    for (const { value, note } of measured.slice(0, 1)) if (value === undefined) process.stdout.write(`${note}\n`);
    results.push(...measured);
  }
  process.stdout.write(`\n${textTable(results)}\n`);
  if (options.write) {
    const history = existsSync(file) ? readHistory(readFileSync(file, "utf8")) : [];
    const when = { date: today(), machine };
    const measures = allRows.flatMap((row) => row.measures);
    writeFileSync(file, renderDocument(measures, addToHistory(history, results, when)));
    process.stdout.write(`\nWritten to ${file}\n`);
  }
  return results.every(({ value, note }) => value !== undefined || note.startsWith("skipped"));
}

try {
  process.exitCode = (await main()) ? 0 : 1;
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
