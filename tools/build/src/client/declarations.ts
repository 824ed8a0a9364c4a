import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { pinnedNode, root } from "../paths.ts";

/** The type of a library that is loaded on first use, and which users of the declarations do not have. */
const LIBRARY = /typeof import\("(?!node:|\.|@orchernetes\/)[^"]+"\)/g;

/** A module named in a declaration, in an import, an export or a type. */
const MODULE = /(\bfrom |\bimport\(|\bimport )"([^"]+)"/g;

/** A line outside the comments: examples in those name packages of the workspace as its own code does. */
const CODE_LINE = /^(?!\s*\*).*$/gm;

/**
 * Writes the declarations of a package and of the packages of the workspace that it uses: `<package>/src/….d.ts`, with modules named
 * as they lie in the folder.
 */
export function writeDeclarations(name: string, folder: string): void {
  const options = [
    ["--outDir", folder],
    ["--rootDir", join(root, "packages")],
    ["--noEmit", "false"],
    ["--declaration"],
    ["--emitDeclarationOnly"],
    ["--stripInternal"],
    ["--incremental", "false"],
  ].flat();
  const config = join(root, `packages/${name}/tsconfig.build.json`);
  // Through node_modules the other packages would be libraries, for which no declarations are written.
  const compilerOptions = { paths: Object.fromEntries(workspaceModules()) };
  writeFileSync(
    config,
    JSON.stringify({ extends: "../../tsconfig.base.json", compilerOptions, files: ["src/index.ts"] }),
  );
  try {
    execFileSync(pinnedNode, [join(root, "node_modules/typescript/bin/tsc"), "-p", config, ...options], {
      stdio: ["ignore", "pipe", "pipe"],
      encoding: "utf8",
    });
  } catch (error) {
    const { stdout = "" } = error as { readonly stdout?: string };
    throw new Error(`declarations of ${name} failed:\n${stdout}`, { cause: error });
  } finally {
    rmSync(config);
  }
  for (const entry of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const file = join(folder, entry);
    if (!file.endsWith(".d.ts")) continue;
    const text = readFileSync(file, "utf8");
    const rename = (_: string, before: string, module: string) =>
      `${before}"${moduleName(module, dirname(file), folder)}"`;
    const renamed = text
      .replaceAll(LIBRARY, "unknown")
      .replaceAll(CODE_LINE, (line) => line.replaceAll(MODULE, rename));
    if (renamed !== text) writeFileSync(file, renamed);
  }
}

/** Every module that packages of the workspace export, with its source. */
function workspaceModules(): readonly (readonly [string, readonly string[]])[] {
  const packages = join(root, "packages");
  return readdirSync(packages).flatMap((name) =>
    Object.entries(exportsOf(name)).map(
      ([subpath, source]) => [`@orchernetes/${name}${subpath.slice(1)}`, [join(packages, name, source)]] as const,
    ),
  );
}

function exportsOf(name: string): Readonly<Record<string, string>> {
  const manifest = JSON.parse(readFileSync(join(root, `packages/${name}/package.json`), "utf8")) as {
    readonly exports: Readonly<Record<string, string>>;
  };
  return manifest.exports;
}

/** @throws Error for a module of the workspace that has no declaration in the folder */
function moduleName(module: string, from: string, folder: string): string {
  if (module.startsWith(".")) return module.replace(/\.ts$/, ".js");
  const [, name, subpath] = /^@orchernetes\/([^/]+)(\/.+)?$/.exec(module) ?? [];
  if (name === undefined) return module;
  const source = exportsOf(name)[`.${subpath ?? ""}`] ?? "";
  const file = join(folder, name, source.replace(/\.ts$/, ".js"));
  if (!existsSync(file.replace(/\.js$/, ".d.ts"))) throw new Error(`${from}: "${module}" has no declarations`);
  return `./${relative(from, file)}`.replace("./../", "../");
}
