import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { messageOf } from "@orchernetes/kernel";
import { etcdAvailable, workspaceRoot } from "@orchernetes/testkit";
import { compare } from "./compare/compare.ts";
import { commitOf, renderComparisonPage } from "./compare/page.ts";
import { renderGrowth } from "./growth/render.ts";
import { quickPlan, runGrowth, wholePlan } from "./growth/run-growth.ts";
import { describeLimit, limitOf, withLimit } from "./limit.ts";
import { describeMachine, thisMachine } from "./machine.ts";
import { parseOptions } from "./options.ts";
import { addToHistory, readHistory, renderDocument } from "./report/document.ts";
import { stallsTable, textTable } from "./report/table.ts";
import type { Result, Row } from "./row.ts";
import { bareServer } from "./rows/bare-server.ts";
import { allRows } from "./rows/index.ts";
import { runRow } from "./run-row.ts";

const file = `${workspaceRoot}docs/benchmarks.md`;
const growthFile = `${workspaceRoot}docs/growth.md`;
const comparisonFile = `${workspaceRoot}docs/benchmarks-compared.md`;

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
  if (options.against !== undefined) {
    const { against, rounds, starts } = options;
    const comparisons = await compare({ folder: against, rounds, starts });
    const facts = { date: today(), machine, theirs: commitOf(against), ours: commitOf(workspaceRoot), rounds, starts };
    const page = renderComparisonPage(facts, comparisons);
    if (options.write) writeFileSync(comparisonFile, page);
    process.stdout.write(options.write ? `${page}\nWritten to ${comparisonFile}\n` : page);
    return true;
  }
  const rows = allRows.filter((row) => options.rows.length === 0 || options.rows.includes(row.id));
  const wantsLimit = rows.includes(bareServer);
  const measureLimit = (when: string) =>
    measure(bareServer, { ...options, quick: options.quick || !wantsLimit }, ` (${when})`);
  const before = await measureLimit("beginning");
  const measured: Result[] = [];
  for (const row of rows) if (row !== bareServer) measured.push(...(await measure(row, options)));
  const after = await measureLimit("end");
  const limit = limitOf(before[0]?.value, after[0]?.value);
  const results = withLimit([...measured, ...(wantsLimit ? after : [])], limit);
  process.stdout.write(`\n${textTable(results)}\n`);
  process.stdout.write(`\n${limit === undefined ? "limit: not known" : `limit: ${describeLimit(limit)}`}\n`);
  const stalls = stallsTable(rows, results);
  if (stalls !== "") process.stdout.write(`\n${stalls}\n`);
  if (options.write) {
    const history = existsSync(file) ? readHistory(readFileSync(file, "utf8")) : [];
    const when = { date: today(), machine };
    writeFileSync(file, renderDocument(allRows, addToHistory(history, results, when)));
    process.stdout.write(`\nWritten to ${file}\n`);
  }
  return results.every(({ value, note }) => value !== undefined || note.startsWith("skipped"));
}

/** Runs a row, and prints how long that took. */
async function measure(row: Row, options: Parameters<typeof runRow>[1], remark = ""): Promise<readonly Result[]> {
  process.stdout.write(`measuring ${row.id}${remark} …`);
  const started = performance.now();
  const results = await runRow(row, options);
  process.stdout.write(` ${((performance.now() - started) / 1000).toFixed(0)} s\n`);
  for (const { value, note } of results.slice(0, 1)) if (value === undefined) process.stdout.write(`${note}\n`);
  return results;
}

try {
  process.exitCode = (await main()) ? 0 : 1;
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exitCode = 1;
}
