import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { containerdPaths } from "@orchernetes/cri/containerd";
import { messageOf } from "@orchernetes/kernel";
import { startCluster, type TestCluster } from "@orchernetes/testkit";
import { folderOf, isUsual, kindsIn } from "./cluster-kind.ts";
import { type ClusterResults, defectsOf, renderDocument } from "./document.ts";
import { CERTIFYING, type Options, parseOptions, STORES, type StoreName } from "./options.ts";
import { startOutsideWorld } from "./outside-world.ts";
import { type ReferenceAgents, useReferenceAgents } from "./reference-agent.ts";
import { type UsedScheduler, useReferenceScheduler } from "./reference-scheduler.ts";
import { readResultsIn } from "./results.ts";
import { listSpecs, runSuite } from "./run-suite.ts";
import { closeServiceRange, type ServiceRange } from "./service-range.ts";
import { buildStandInImages, importStandInImages, PRIVATE_IMAGE } from "./stand-in-images.ts";
import { registriesOf, type StandInRegistry, startStandInRegistry, useRegistry } from "./stand-in-registry.ts";
import { openSuite, type Suite } from "./suite.ts";

/** Addresses of services in a local cluster. */
const SERVICE_CIDR = "10.96.0.0/16";
const DOCUMENT = fileURLToPath(new URL("../../../docs/conformance.md", import.meta.url));

/** Imports the images that specs use into the nodes of a cluster, and serves them to those that pull. */
async function provideImages(cluster: TestCluster, suite: Suite): Promise<StandInRegistry> {
  const images = await buildStandInImages(suite);
  const sockets = cluster.nodes.map(({ endpoint }) => endpoint.replace(/^unix:\/\//, ""));
  await importStandInImages(
    sockets,
    images.filter(({ reference }) => reference !== PRIVATE_IMAGE),
  );
  const registry = await startStandInRegistry(images);
  const folders = sockets.map((socket) => containerdPaths(dirname(socket)).registriesDir);
  await useRegistry(registry, registriesOf(images), folders);
  return registry;
}

/** Runs the suite against a new cluster. */
async function runOn(store: StoreName, suite: Suite, options: Options, outputFolder: string): Promise<ClusterResults> {
  const { nodes, agent, scheduler } = options;
  const kind = { store, nodes, agent, scheduler };
  const cluster = await startCluster({ store, runtime: "containerd", nodes, metrics: true });
  const outside = await startOutsideWorld();
  let range: ServiceRange | undefined;
  let registry: StandInRegistry | undefined;
  let reference: ReferenceAgents | undefined;
  let foreign: UsedScheduler | undefined;
  try {
    range = await closeServiceRange(SERVICE_CIDR, (line) => process.stdout.write(`${line}\n`));
    registry = await provideImages(cluster, suite);
    if (agent === "reference") reference = await useReferenceAgents(suite, cluster);
    if (scheduler === "reference") foreign = await useReferenceScheduler(suite, cluster);
    const results = await runSuite(suite, {
      clientConfig: cluster.clientConfig,
      outputFolder: join(outputFolder, folderOf(kind)),
      runName: new Date().toISOString().replaceAll(/\D/g, "").slice(0, 14),
      nodes,
      parallel: options.parallel,
      focus: options.focus,
      skip: options.skip === undefined ? [] : [options.skip],
      env: outside.env,
    });
    return { ...kind, results };
  } finally {
    outside.close();
    registry?.close();
    await foreign?.stop();
    await reference?.stop();
    await range?.open();
    await cluster.stop();
  }
}

function report({ store, results }: ClusterResults, defects: readonly string[]): void {
  const passed = [...results.values()].filter((result) => result === "passed").length;
  process.stdout.write(`${store}: ${passed} of ${results.size} specs passed, ${defects.length} fail unexplained\n`);
  for (const spec of defects) process.stdout.write(`  ${spec}\n`);
}

async function main(argv: readonly string[]): Promise<boolean> {
  const options = await parseOptions(argv);
  const suite = openSuite(options.suite);
  const outputFolder = options.results ?? (await mkdtemp(join(tmpdir(), "conformance-")));
  process.stdout.write(`The output of the suite is in ${outputFolder}\n`);
  const runs: ClusterResults[] = [];
  for (const store of options.stores) {
    const run = await runOn(store, suite, options, outputFolder);
    report(run, defectsOf(run));
    runs.push(run);
  }
  for (const kind of await kindsIn(outputFolder)) {
    const folder = folderOf(kind);
    if (runs.some((run) => folderOf(run) === folder)) continue;
    const results = await readResultsIn(join(outputFolder, folder));
    if (results.size > 0) runs.push({ ...kind, results });
  }
  const place = (run: ClusterResults) => [isUsual(run) ? 0 : 1, STORES.indexOf(run.store), folderOf(run)].join(" ");
  runs.sort((a, b) => place(a).localeCompare(place(b)));
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
