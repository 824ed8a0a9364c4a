import { createRequire } from "node:module";
import { messageOf } from "@orchernetes/kernel";
import type { RE2JS } from "re2js";
import { Failure } from "./value.ts";

const require = createRequire(import.meta.url);

/** Patterns that are kept compiled. Most are constants of rules, which run again and again. */
const kept = 256;
const compiled = new Map<string, RE2JS | Failure>();

/** Compiles a regular expression in RE2's syntax, whose matching takes time in proportion to the text whatever it is. */
function compile(source: string): RE2JS | Failure {
  const known = compiled.get(source);
  if (known !== undefined) return known;
  const library: typeof import("re2js") = require("re2js");
  let made: RE2JS | Failure;
  try {
    made = library.RE2JS.compile(source);
  } catch (error) {
    made = new Failure(messageOf(error));
  }
  if (compiled.size >= kept) compiled.clear();
  compiled.set(source, made);
  return made;
}

export function matches(text: string, pattern: string): boolean | Failure {
  const made = compile(pattern);
  return made instanceof Failure ? made : made.matcher(text).find();
}

/** The matches of a pattern, at most as many as the limit says. */
export function findAll(text: string, pattern: string, limit: number): string[] | Failure {
  const made = compile(pattern);
  if (made instanceof Failure) return made;
  const found: string[] = [];
  const matcher = made.matcher(text);
  while (found.length < limit && matcher.find()) found.push(matcher.group() ?? "");
  return found;
}
