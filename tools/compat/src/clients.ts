/**
 * Drives the server with clients that others wrote, prints a table of what they could do, and writes it into
 * `docs/compatibility.md`.
 *
 * `node tools/compat/src/clients.ts [--only TEXT] [--no-cluster] [--no-write]`
 *
 * @module
 */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { messageOf } from "@orchernetes/kernel";
import { workspaceRoot } from "@orchernetes/testkit";
import yargs from "yargs";
import { findClients } from "./clients/find-clients.ts";
import { runClients } from "./clients/run-clients.ts";
import { renderClients } from "./clients/table.ts";
import { replaceSection } from "./section.ts";

const file = `${workspaceRoot}docs/compatibility.md`;
const section = {
  heading: "Clients",
  begin: "<!-- clients: written by tools/compat -->",
  end: "<!-- end of clients -->",
};

async function main(): Promise<boolean> {
  const options = await yargs(process.argv.slice(2))
    .scriptName("clients")
    .usage("$0 [options]\n\nDrives the server with stock clients and writes docs/compatibility.md.")
    .options({
      only: { type: "string", requiresArg: true, describe: "Only clients with this in their name" },
      cluster: { type: "boolean", default: true, describe: "Start a cluster as well, for logs and exec" },
      write: { type: "boolean", describe: "Write docs/compatibility.md [default: unless --only or --no-cluster]" },
    })
    .strict()
    .version(false)
    .parseAsync();
  const folder = mkdtempSync(join(tmpdir(), "o8s-clients-"));
  try {
    const found = await findClients(folder);
    const clients = found.filter(({ name }) => name.includes(options.only ?? ""));
    const rows = await runClients(clients, {
      folder,
      cluster: options.cluster,
      report: (text) => void process.stderr.write(`${text}\n`),
    });
    const table = renderClients(rows, new Date().toISOString().slice(0, 10));
    process.stdout.write(`${table}\n`);
    if (options.write ?? (options.only === undefined && options.cluster)) {
      writeFileSync(file, replaceSection(readFileSync(file, "utf8"), section, table));
      process.stdout.write(`\nWritten to ${file}\n`);
    }
    return rows.every((row) => "missing" in row || [...row.outcomes.values()].every(({ type }) => type !== "failed"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

try {
  process.exitCode = (await main()) ? 0 : 1;
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exitCode = 1;
}
