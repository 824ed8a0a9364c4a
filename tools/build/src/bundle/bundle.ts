import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { type BuildOptions, build, type Metafile } from "esbuild";
import { writeLicences } from "../licences/write-licences.ts";
import { bundleFolder, root } from "../paths.ts";
import type { Program } from "../programs.ts";
import { callersOf, type FileCallers } from "./caller-index.ts";
import { englishOnly } from "./english-only.ts";
import { inlineLibraries, type LazyLibraries, lazyLibraries, libraryFile } from "./lazy-libraries.ts";
import { namedExports } from "./named-exports.ts";
import { NATIVE_FILE, nativeStore } from "./native-store.ts";
import { replaceFolder } from "./replace-folder.ts";
import { makeStamp, writeStamp } from "./stamp.ts";
import { unusedParts } from "./unused-parts.ts";
import { type Workers, workers } from "./workers.ts";

/** Options that all outputs share. Names stay: stacks, profiles and error classes are read by people. */
export const COMMON = {
  bundle: true,
  platform: "node",
  target: "node26",
  // Text without characters beyond Latin-1 takes one byte a character in memory.
  charset: "ascii",
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: "none",
  sourcesContent: false,
  metafile: true,
  absWorkingDir: root,
  logLevel: "warning",
} as const satisfies BuildOptions;

/** Libraries in CommonJS call `require` for modules of Node. */
const REQUIRE = {
  js: 'import{createRequire as makeRequire}from"node:module";const require=makeRequire(import.meta.url);',
};

/** A bundle that was written. */
export interface Bundle {
  readonly folder: string;
  /** Every file of the workspace and of its packages that is in it, as paths in the workspace. */
  readonly inputs: readonly string[];
}

/**
 * Makes the bundle of a program: `main.mjs`, a daemon's code in `program.cjs`, a file for each worker thread and for the embedded
 * store with its native part (for each library that is loaded on first use, if the program is not a daemon), source maps, and an index of the logging calls, from which log lines get the names of source files. Each build writes into a folder of
 * its own, which takes the place of the bundle's at the end: a build that fails leaves the old bundle, and of builds at the same time the
 * last one stays.
 */
export async function bundleProgram(program: Program, folder = bundleFolder(program.name)): Promise<Bundle> {
  const startedMs = Date.now();
  mkdirSync(dirname(folder), { recursive: true });
  const next = mkdtempSync(`${folder}.new-`);
  try {
    const metafiles = program.isDaemon
      ? await bundleCompiled(program, next)
      : await bundleModules({ main: join(root, program.entry) }, next);
    writeFileSync(join(next, "callers.json"), JSON.stringify(callerIndex(next)));
    const inputs = inputsOf(metafiles);
    writeLicences(next, program.name, inputs);
    writeStamp(next, makeStamp(stampedFiles(inputs), startedMs));
    // Folders of mkdtemp are closed to other users.
    chmodSync(next, 0o755);
    replaceFolder(next, folder);
    return { folder, inputs };
  } finally {
    rmSync(next, { recursive: true, force: true });
  }
}

/**
 * Writes modules and what they load on first use into a folder.
 *
 * @param entryPoints paths of sources by the names of their files
 */
export async function bundleModules(
  entryPoints: Readonly<Record<string, string>>,
  folder: string,
): Promise<readonly Metafile[]> {
  const libraries: LazyLibraries = new Map();
  const threads: Workers = new Map();
  const modules = async (entries: Readonly<Record<string, string>>): Promise<Metafile> => {
    const { metafile } = await build({
      ...COMMON,
      entryPoints: { ...entries },
      format: "esm",
      splitting: true,
      outdir: folder,
      outExtension: { ".js": ".mjs" },
      sourcemap: "linked",
      banner: REQUIRE,
      plugins: [englishOnly, unusedParts, lazyLibraries(libraries), workers(threads), namedExports],
    });
    return metafile;
  };
  const metafiles = [await modules(entryPoints)];
  if (threads.size > 0) metafiles.push(await modules(Object.fromEntries(threads)));
  for (const [name, entry] of libraries) metafiles.push(await library(name, entry, folder));
  return metafiles;
}

/** File of a daemon's code. */
const PROGRAM_FILE = "program.cjs";

/**
 * Writes a daemon as one function in one file, whose compiled code the main module keeps between starts. Only the embedded store and
 * worker threads have files of their own. `require` gives the function as well, for a Node that reads source maps.
 */
async function bundleCompiled(program: Program, folder: string): Promise<readonly Metafile[]> {
  const libraries: LazyLibraries = new Map();
  const threads: Workers = new Map();
  const start = `import { run } from ${JSON.stringify(join(root, program.entry, "../run.ts"))};
    run().then((code) => { process.exitCode = code; });`;
  const { metafile } = await build({
    ...COMMON,
    stdin: { contents: start, resolveDir: root, sourcefile: "start:main.js" },
    format: "cjs",
    outfile: join(folder, PROGRAM_FILE),
    sourcemap: "linked",
    define: { "import.meta.url": "moduleUrl" },
    banner: {
      js: '(typeof module=="object"?module:{}).exports=(function(require,__filename){"use strict";const moduleUrl=require("node:url").pathToFileURL(__filename).href;',
    },
    footer: { js: "})" },
    plugins: [englishOnly, unusedParts, inlineLibraries(libraries), workers(threads)],
  });
  const main = await build({
    ...COMMON,
    stdin: {
      contents: `import { runCompiled } from "@orchernetes/component/compiled-program";
        import { join } from "node:path";
        runCompiled(join(import.meta.dirname, "${PROGRAM_FILE}"));`,
      resolveDir: import.meta.dirname,
      sourcefile: "start:main.js",
    },
    format: "esm",
    outfile: join(folder, "main.mjs"),
  });
  const metafiles = [metafile, main.metafile];
  if (threads.size > 0) metafiles.push(...(await bundleModules(Object.fromEntries(threads), folder)));
  for (const [name, entry] of libraries) metafiles.push(await library(name, entry, folder));
  return metafiles;
}

async function library(name: string, entry: string, folder: string): Promise<Metafile> {
  const outfile = join(folder, libraryFile(name));
  const native = nativeStore((binary) => {
    copyFileSync(binary, join(folder, NATIVE_FILE));
    chmodSync(join(folder, NATIVE_FILE), 0o644);
  });
  const { metafile } = await build({ ...COMMON, entryPoints: [entry], format: "cjs", outfile, plugins: [native] });
  return metafile;
}

/** The logging calls of every module in the folder. */
function callerIndex(folder: string): Readonly<Record<string, FileCallers>> {
  const index: Record<string, FileCallers> = {};
  const names = readdirSync(folder);
  for (const name of names.filter((name) => names.includes(`${name}.map`))) {
    const read = (file: string): string => readFileSync(join(folder, file), "utf8");
    const callers = callersOf(read(name), read(`${name}.map`));
    if (Object.keys(callers).length > 0) index[name] = callers;
  }
  return index;
}

/** The files that outputs were made from. */
export const inputsOf = (metafiles: readonly Metafile[]): readonly string[] =>
  metafiles.flatMap(({ inputs }) => Object.keys(inputs)).filter((path) => !/(?:^|\/)[\w-]+:/.test(path));

/**
 * What decides what a bundle holds: its sources, the manifests of their packages, the lock file for everything installed, and how
 * bundles are made.
 */
function stampedFiles(inputs: readonly string[]): readonly string[] {
  const sources = inputs.filter((path) => !path.includes("node_modules"));
  const manifests = sources.map((path) => join(...path.split("/").slice(0, 2), "package.json"));
  const here = relative(root, import.meta.dirname);
  const own = readdirSync(import.meta.dirname).filter((name) => !name.includes(".test."));
  return [...sources, ...manifests, "pnpm-lock.yaml", ...own.map((name) => join(here, name))];
}
