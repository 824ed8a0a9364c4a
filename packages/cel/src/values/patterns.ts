import { createRequire } from "node:module";
import { messageOf } from "@orchernetes/kernel";
import type { RE2JS } from "re2js";
import { expandedPatternSize, maxExpandedPatternSize } from "./expanded-pattern-size.ts";
import { Failure, listValue, type Outcome } from "./value.ts";
import { itemWork, type Work } from "./work.ts";

const require = createRequire(import.meta.url);

/** Number of patterns that are kept compiled. Most are constants of rules; a rule may also compute patterns, so that there must be a limit. */
const kept = 256;
/** Largest sum of their sizes: values of objects may be patterns, too. */
const keptSize = 2 * maxExpandedPatternSize;
const compiled = new Map<string, RE2JS | Failure>();
let compiledSize = 0;

/** Compiles a regular expression in RE2's syntax, whose matching takes time in proportion to the text whatever it is. */
function compile(source: string): RE2JS | Failure {
  const known = compiled.get(source);
  if (known !== undefined) return known;
  const size = expandedPatternSize(source);
  if (size > maxExpandedPatternSize)
    return new Failure(
      `error parsing regexp: it is too large: its size is ${size}; at most ${maxExpandedPatternSize} is accepted`,
    );
  const library: typeof import("re2js") = require("re2js");
  let made: RE2JS | Failure;
  try {
    made = library.RE2JS.compile(source);
  } catch (error) {
    made = new Failure(messageOf(error));
  }
  // Dropping all of them is simple, and rare: a server has few distinct patterns.
  if (compiled.size >= kept || compiledSize + size > keptSize) {
    compiled.clear();
    compiledSize = 0;
  }
  compiled.set(source, made);
  compiledSize += size;
  return made;
}

/** What is wrong with a pattern; undefined if it is a regular expression. */
export function patternError(pattern: string): string | undefined {
  const made = compile(pattern);
  return made instanceof Failure ? made.message : undefined;
}

export function matches(text: string, pattern: string): boolean | Failure {
  const made = compile(pattern);
  // Finding out where a match is takes many times as long.
  return made instanceof Failure ? made : made.test(text);
}

/** In longer texts it is looked first whether there is a match at all. */
const longText = 1000;

/** The first match of a pattern; empty if there is none. */
export function find(text: string, pattern: string): string | Failure {
  const made = compile(pattern);
  if (made instanceof Failure) return made;
  if (text.length > longText && !made.test(text)) return "";
  const matcher = made.matcher(text);
  return matcher.find() ? (matcher.group() ?? "") : "";
}

/** Finds the matches of a pattern, one by one; the work is that of reading the text, and an item for each match. */
export class Matches implements Work<Outcome> {
  readonly #made: RE2JS | Failure;
  readonly #limit: number;
  readonly #found: string[] = [];
  #matcher: ReturnType<RE2JS["matcher"]> | undefined;
  readonly #text: string;

  /** @param limit matches at most */
  constructor(text: string, pattern: string, limit: number) {
    this.#text = text;
    this.#made = compile(pattern);
    this.#limit = limit;
  }

  get done(): number {
    return this.#found.length * itemWork;
  }

  advance(amount: number): Outcome | undefined {
    if (this.#made instanceof Failure) return this.#made;
    this.#matcher ??= this.#made.matcher(this.#text);
    const end = this.done + amount;
    while (this.#found.length < this.#limit) {
      if (this.done >= end) return undefined;
      if (!this.#matcher.find()) break;
      this.#found.push(this.#matcher.group() ?? "");
    }
    return listValue(this.#found);
  }
}

/**
 * How large a pattern is, in characters of a pattern that is as large: four for each of its instructions, if these are many more than its
 * text shows. A short pattern can repeat others a thousand times.
 */
export function patternSize(source: string): number {
  const made = compile(source);
  return made instanceof Failure ? source.length : Math.max(source.length, Math.ceil(made.programSize() / 2));
}
