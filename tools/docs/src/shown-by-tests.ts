import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A test that shows what a setting does. */
export interface Showing {
  /** Path from the root of the repository. */
  readonly file: string;
  /** As it is written, with the placeholders of a table. */
  readonly title: string;
}

/** Where tests of settings of the node agent are. */
const places = [
  "apps/orchlet/{src,test}/**/*.test.ts",
  "packages/*/src/**/*.test.ts",
  "tools/e2e/test/**/*.ts",
] as const;

/** `// shows: maxPods, podsPerCore`, before a test or before a step of one. */
const note = /^[ \t]*\/\/ shows: (.+)$/gm;
/** The title of a test, or of a table of tests after its rows. */
const title = /(?:\b(?:test|it|describe)(?:\.[\w.]+)?|\))\(\s*(["'`])((?:\\.|(?!\1).)*)\1/s;

/**
 * Tests by the settings that they show, as comments before the tests say: `// shows: `, and names of fields or of flags (with `--`),
 * separated by commas.
 *
 * @param root folder of the repository
 * @throws Error for a comment that no test follows
 */
export function shownByTests(root: string): ReadonlyMap<string, readonly Showing[]> {
  const found = new Map<string, Showing[]>();
  for (const file of places.flatMap((place) => globSync(place, { cwd: root })).sort()) {
    const text = readFileSync(join(root, file), "utf8");
    for (const { 0: comment, 1: names = "", index } of text.matchAll(note)) {
      const following = title.exec(text.slice(index + comment.length))?.[2];
      if (following === undefined) throw new Error(`${file}: no test follows "${comment.trim()}"`);
      const showing = { file, title: following.replace(/\\(["'`])/g, "$1") };
      for (const name of names.split(",")) found.set(name.trim(), [...(found.get(name.trim()) ?? []), showing]);
    }
  }
  return found;
}
