import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { isAbsolute, join, relative, sep } from "node:path";
import { packageFolders } from "./test-results.mjs";

/**
 * Which tests the arguments of `npm test` name.
 *
 * @typedef {{ kind: "all", coverage: boolean }
 *   | { kind: "some", coverage: boolean, runs: readonly { folder: string, args: readonly string[] }[] }} Selection
 * `runs` are runs of vitest, in the order of the packages, each in the folder of its package.
 */

/** The package that contains a path, or undefined. */
const packageOf = (folders, path) => folders.find((folder) => path === folder || path.startsWith(folder + sep));

/** Folders of packages by name, each with the names of its dependencies. */
function dependencyGraph(folders) {
  const graph = new Map();
  for (const folder of folders) {
    const manifest = join(folder, "package.json");
    if (!existsSync(manifest)) continue;
    const { name, dependencies = {}, devDependencies = {} } = JSON.parse(readFileSync(manifest, "utf8"));
    graph.set(name, { folder, needs: [...Object.keys(dependencies), ...Object.keys(devDependencies)] });
  }
  return graph;
}

/** The packages, and those that depend on them directly or indirectly. */
function withDependants(root, changed) {
  const graph = dependencyGraph(packageFolders(root));
  const found = new Set(changed);
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const { folder, needs } of graph.values())
      if (needs.some((name) => found.has(graph.get(name)?.folder))) found.add(folder);
  }
  return packageFolders(root).filter((folder) => found.has(folder));
}

function changedFiles(root, ref) {
  const git = (...args) => execFileSync("git", args, { cwd: root, encoding: "utf8" }).split("\n").filter(Boolean);
  return [...git("diff", "--name-only", ref), ...git("ls-files", "--others", "--exclude-standard")].map((path) =>
    join(root, path),
  );
}

function selectChanged(root, ref, forVitest) {
  const folders = packageFolders(root);
  const changed = changedFiles(root, ref).flatMap((path) => packageOf(folders, path) ?? []);
  // vitest follows the imports of each test file across packages, and runs the files that import a changed one.
  const args = [`--changed=${ref}`, "--passWithNoTests", ...forVitest];
  return withDependants(root, changed).map((folder) => ({ folder, args }));
}

function selectPaths(root, paths, cwd, forVitest) {
  const folders = packageFolders(root);
  const filters = new Map();
  for (const path of paths) {
    const found = [cwd, root]
      .map((base) => (isAbsolute(path) ? path : join(base, path)))
      .find((one) => existsSync(one));
    const folder = found && packageOf(folders, found);
    if (folder === undefined)
      throw new Error(`cannot test "${path}": expected a package's folder, or a file or folder inside of one`);
    const filter = relative(folder, found);
    filters.set(folder, [...(filters.get(folder) ?? []), ...(filter === "" ? [] : [filter])]);
  }
  return folders
    .filter((folder) => filters.has(folder))
    .map((folder) => ({ folder, args: [...filters.get(folder), ...forVitest] }));
}

/**
 * Parses the arguments of `npm test`: none for all tests, paths of packages, folders and files, or `--changed[=REF]`
 * for the tests that depend on what differs from a commit (HEAD by default). `--coverage` can be combined with any of
 * them. Arguments after `--` are for vitest.
 *
 * @param {string} root folder of the workspace
 * @param {readonly string[]} args
 * @param {string} cwd folder to which paths are relative; if there is no such path, they are relative to the root
 * @returns {Selection}
 * @throws {Error} for an unknown option, or a path outside of all packages
 */
export function selectTests(root, args, cwd = root) {
  const end = args.includes("--") ? args.indexOf("--") : args.length;
  const [own, forVitest] = [args.slice(0, end), args.slice(end + 1)];
  const coverage = own.includes("--coverage");
  const options = own.filter((arg) => arg.startsWith("-") && arg !== "--coverage");
  const paths = own.filter((arg) => !arg.startsWith("-"));
  const unknown = options.find((option) => !/^--changed(=.+)?$/.test(option));
  if (unknown !== undefined)
    throw new Error(
      `unknown option "${unknown}" of npm test; expected paths, --changed[=REF] or --coverage; options of vitest follow --`,
    );
  if (options.length > 0) {
    if (options.length + paths.length > 1) throw new Error(`--changed selects the tests; expected no paths beside it`);
    return { kind: "some", coverage, runs: selectChanged(root, options[0].split("=")[1] ?? "HEAD", forVitest) };
  }
  if (paths.length === 0 && forVitest.length === 0) return { kind: "all", coverage };
  const runs = selectPaths(root, paths.length > 0 ? paths : packageFolders(root), cwd, forVitest);
  return { kind: "some", coverage, runs };
}
