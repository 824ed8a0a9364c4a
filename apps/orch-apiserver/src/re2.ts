import { createRequire } from "node:module";
import type { RE2JS } from "re2js";

const require = createRequire(import.meta.url);

/**
 * Compiles a regular expression in RE2's syntax, which takes time in proportion to the text for every expression. The
 * library is loaded by the first call: few servers are given an expression.
 *
 * @throws Error if it is none
 */
export function compileRe2(source: string): RE2JS {
  const library: typeof import("re2js") = require("re2js");
  return library.RE2JS.compile(source);
}
