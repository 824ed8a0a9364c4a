import { createRequire } from "node:module";
import type { RE2JS } from "re2js";

const require = createRequire(import.meta.url);

/** Returns whether a text contains a match of the expression. */
export type Matcher = (text: string) => boolean;

/**
 * Compiles a regular expression in RE2's syntax, whose matching takes time in proportion to the text whatever the expression is.
 * The library is loaded by the first call.
 *
 * @throws Error if the expression is invalid
 */
export function compilePattern(source: string): Matcher {
  const library: typeof import("re2js") = require("re2js");
  const compiled: RE2JS = library.RE2JS.compile(source);
  // Unlike a search, this does not find out where the match is: it is ten times as fast, and may read megabytes.
  return (text) => compiled.test(text);
}
