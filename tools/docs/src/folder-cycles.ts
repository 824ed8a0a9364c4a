import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

/** Which folders each folder imports from, imports of types included. Paths are relative to `src`. */
export type FolderGraph = ReadonlyMap<string, ReadonlySet<string>>;

const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*"(\.[^"]+)"/g;

/**
 * A file directly in `src` is a node of its own: a package's entry imports every folder, and its folders may import
 * what is below them, such as the package's errors.
 */
function nodeOf(file: string): string {
  const folder = dirname(file);
  return folder === "." ? file : folder;
}

/** The graph of the folders of one `src`. Tests are not part of it: they may import from anywhere. */
export function folderGraph(src: URL): FolderGraph {
  const graph = new Map<string, Set<string>>();
  for (const file of readdirSync(src, { recursive: true, encoding: "utf8" })) {
    if (!/\.(?:ts|mjs)$/.test(file) || file.includes(".test.")) continue;
    const from = nodeOf(file);
    const targets = graph.get(from) ?? new Set<string>();
    graph.set(from, targets);
    for (const [, specifier = ""] of readFileSync(new URL(file, src), "utf8").matchAll(IMPORT)) {
      const path = normalize(join(dirname(file), specifier));
      const to = nodeOf(path);
      if (to !== from && !path.startsWith("..")) targets.add(to);
    }
  }
  return graph;
}

/** Every folder that imports from itself through others, sorted. */
export function foldersInCycles(graph: FolderGraph): readonly string[] {
  return [...graph.keys()].filter((folder) => reachable(graph, folder).has(folder)).sort();
}

function reachable(graph: FolderGraph, start: string): ReadonlySet<string> {
  const found = new Set<string>();
  const next = [start];
  for (let folder = next.pop(); folder !== undefined; folder = next.pop()) {
    for (const target of graph.get(folder) ?? []) {
      if (found.has(target)) continue;
      found.add(target);
      next.push(target);
    }
  }
  return found;
}
