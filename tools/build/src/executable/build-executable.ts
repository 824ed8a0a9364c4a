import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { build, type Metafile } from "esbuild";
import { COMMON, inputsOf } from "../bundle/bundle.ts";
import { callersOf } from "../bundle/caller-index.ts";
import { englishOnly } from "../bundle/english-only.ts";
import { inlineLibraries } from "../bundle/lazy-libraries.ts";
import { NATIVE_FILE, nativeStore } from "../bundle/native-store.ts";
import { unusedParts } from "../bundle/unused-parts.ts";
import { type Workers, workers } from "../bundle/workers.ts";
import { writeLicencesWithNode } from "../licences/write-licences.ts";
import { pinnedNode, root } from "../paths.ts";
import type { Program } from "../programs.ts";

/** URL of a worker thread whose module is an asset of the executable. */
const workerAsset = (name: string): string =>
  `new URL("data:text/javascript;base64," + Buffer.from(require("node:sea").getAsset("${name}")).toString("base64"))`;

/** Loads the native part of lmdb, which the system loads only from a file: one that nobody else can write, and which is then removed. */
const NATIVE_FROM_ASSET = `
const { mkdtempSync, rmSync, writeFileSync } = require("node:fs");
const { tmpdir } = require("node:os");
const { join } = require("node:path");
module.exports = () => {
  const folder = mkdtempSync(join(tmpdir(), "orchernetes-"));
  try {
    const file = join(folder, "${NATIVE_FILE}");
    writeFileSync(file, Buffer.from(require("node:sea").getAsset("${NATIVE_FILE}")), { mode: 0o700 });
    const native = { exports: {} };
    process.dlopen(native, file);
    return native.exports;
  } finally {
    rmSync(folder, { recursive: true });
  }
};`;

/**
 * Makes one executable file of a daemon: the pinned Node with the daemon's code, the worker threads, the native part of the embedded
 * store and the index of the logging calls. Notices and bill of materials are written into `<file>.licences`.
 *
 * @param file path of the executable
 */
export async function buildExecutable(program: Program, file: string): Promise<void> {
  const work = mkdtempSync(join(tmpdir(), "executable-"));
  try {
    const assets: Record<string, string> = {};
    const metafiles = await writeAssets(program, work, assets);
    const main = join(work, "main.cjs");
    const callers = join(work, "callers.json");
    writeFileSync(
      callers,
      JSON.stringify({ "main.cjs": callersOf(readFileSync(main, "utf8"), readFileSync(`${main}.map`, "utf8")) }),
    );
    assets["callers.json"] = callers;
    const config = join(work, "sea.json");
    mkdirSync(dirname(file), { recursive: true });
    const options = { main, output: file, executable: pinnedNode, assets, disableExperimentalSEAWarning: true };
    writeFileSync(config, JSON.stringify({ ...options, useCodeCache: true }));
    execFileSync(pinnedNode, ["--build-sea", config], { stdio: "pipe" });
    mkdirSync(`${file}.licences`, { recursive: true });
    writeLicencesWithNode(`${file}.licences`, program.name, inputsOf(metafiles));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

async function writeAssets(
  program: Program,
  work: string,
  assets: Record<string, string>,
): Promise<readonly Metafile[]> {
  const threads: Workers = new Map();
  const plugins = [
    englishOnly,
    unusedParts,
    inlineLibraries(),
    workers(threads, workerAsset),
    nativeStore((binary) => {
      assets[NATIVE_FILE] = join(work, NATIVE_FILE);
      copyFileSync(binary, join(work, NATIVE_FILE));
    }, NATIVE_FROM_ASSET),
  ];
  const common = { ...COMMON, plugins };
  const start = `import(${JSON.stringify(join(root, program.entry, "../run.ts"))})
    .then(({ run }) => run())
    .then((code) => { process.exitCode = code; });`;
  const main = await build({
    ...common,
    stdin: { contents: start, resolveDir: root, sourcefile: "main.js" },
    format: "cjs",
    // Every module's URL is that of the executable: libraries make a require function from it, for modules of Node.
    define: { "import.meta.url": "moduleUrl" },
    banner: { js: 'const moduleUrl=require("node:url").pathToFileURL(__filename).href;' },
    outfile: join(work, "main.cjs"),
    sourcemap: "external",
  });
  const metafiles = [main.metafile];
  for (const [name, source] of threads) {
    assets[name] = join(work, `${name}.mjs`);
    const { metafile } = await build({
      ...common,
      entryPoints: [source],
      format: "esm",
      outfile: assets[name],
      // A module that a URL holds has no folder; its libraries require modules of Node.
      banner: { js: 'import{createRequire as makeRequire}from"node:module";const require=makeRequire("file:///");' },
    });
    metafiles.push(metafile);
  }
  return metafiles;
}
