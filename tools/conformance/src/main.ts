import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { messageOf } from "@orchernetes/kernel";
import { startCluster } from "@orchernetes/testkit";
import { defectsOf, renderDocument, type StoreResults } from "./document.ts";
import { CERTIFYING, type Options, parseOptions, STORES, type StoreName } from "./options.ts";
import { startOutsideWorld } from "./outside-world.ts";
import { readResultsIn } from "./results.ts";
import { listSpecs, runSuite } from "./run-suite.ts";
import { closeServiceRange, type ServiceRange } from "./service-range.ts";
import { buildStandInImages, importStandInImages } from "./stand-in-images.ts";
import { openSuite, type Suite } from "./suite.ts";

/** Addresses of services in a local cluster. */
const SERVICE_CIDR = "10.96.0.0/16";
const DOCUMENT = fileURLToPath(new URL("../../../docs/conformance.md", import.meta.url));

/** Runs the suite against a new cluster. */
async function runOn(store: StoreName, suite: Suite, options: Options, outputFolder: string): Promise<StoreResults> {
  const cluster = await startCluster({ store, runtime: "containerd", nodes: options.nodes, metrics: true });
  const outside = await startOutsideWorld();
  let range: ServiceRange | undefined;
  try {
    range = await closeServiceRange(SERVICE_CIDR, (line) => process.stdout.write(`${line}\n`));
    const sockets = cluster.nodes.map(({ endpoint }) => endpoint.replace(/^unix:\/\//, ""));
    await importStandInImages(sockets, await buildStandInImages(suite));
    const results = await runSuite(suite, {
      clientConfig: cluster.clientConfig,
      outputFolder: join(outputFolder, store),
      runName: new Date().toISOString().replaceAll(/\D/g, "").slice(0, 14),
      nodes: options.nodes,
      parallel: options.parallel,
      focus: options.focus,
      skip: options.skip === undefined ? [] : [options.skip],
      env: outside.env,
    });
    return { store, results };
  } finally {
    outside.close();
    await range?.open();
    await cluster.stop();
  }
}

function report({ store, results }: StoreResults, defects: readonly string[]): void {
  const passed = [...results.values()].filter((result) => result === "passed").length;
  process.stdout.write(`${store}: ${passed} of ${results.size} specs passed, ${defects.length} fail unexplained\n`);
  for (const spec of defects) process.stdout.write(`  ${spec}\n`);
}

async function main(argv: readonly string[]): Promise<boolean> {
  const options = await parseOptions(argv);
  const suite = openSuite(options.suite);
  const outputFolder = options.results ?? (await mkdtemp(join(tmpdir(), "conformance-")));
  process.stdout.write(`The output of the suite is in ${outputFolder}\n`);
  const runs: StoreResults[] = [];
  for (const store of options.stores) {
    const run = await runOn(store, suite, options, outputFolder);
    report(run, defectsOf(run));
    runs.push(run);
  }
  for (const store of STORES.filter((each) => !options.stores.includes(each))) {
    const results = await readResultsIn(join(outputFolder, store));
    if (results.size > 0) runs.push({ store, results });
  }
  runs.sort((a, b) => STORES.indexOf(a.store) - STORES.indexOf(b.store));
  if (options.write) {
    const certifying = await listSpecs(suite, CERTIFYING);
    await writeFile(DOCUMENT, renderDocument(runs, certifying, new Date().toISOString().slice(0, 10)));
  }
  return runs.every((run) => defectsOf(run).length === 0);
}

try {
  if (!(await main(process.argv.slice(2)))) process.exitCode = 1;
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exitCode = 1;
}
