/** Largest {@link expandedPatternSize} that is compiled, which takes about a tenth of a second and some ten megabytes. */
export const maxExpandedPatternSize = 50_000;

/** `{n}`, `{n,}` or `{n,m}`. */
const repetition = /\{(\d{1,4})(?:,(\d{0,4}))?\}/y;
/** What follows a backslash: one character, or a class or character with a name in braces. */
const escaped = /\\(?:[pPx]\{[^}]{0,50}\}|.|$)/suy;
/** A class of characters. `[:alpha:]` may be in it, and `]` may be its first character. */
const characters = /\[\^?\]?(?:\[:\^?[a-z]*:\]|\\.|[^\]\\])*\]?/suy;

/**
 * The approximate number of steps that a regular expression in RE2's syntax is compiled to: repetitions are written out, so that
 * `([a-z]{0,99}x){9}` has about nine hundred. The time and the memory of compiling grow with it. Takes time in proportion to the text.
 */
export function expandedPatternSize(source: string): number {
  const groups: number[] = [];
  let sum = 0;
  /** The size of what a repetition that comes next would repeat. */
  let last = 0;
  for (let at = 0; at < source.length; ) {
    const char = source[at] ?? "";
    const length = lengthOf(source, at, char);
    if (char === "(") {
      groups.push(sum);
      sum = 1;
      last = 0;
    } else if (char === ")") {
      last = sum;
      sum = (groups.pop() ?? 0) + last;
    } else if (char === "{" && length > 1) {
      sum += last * (timesOf(source.slice(at, at + length)) - 1);
    } else {
      last = char === "[" ? length : 1;
      sum += last;
    }
    at += length;
  }
  for (const outer of groups) sum += outer;
  return sum;
}

/** The length of the part of an expression that begins with a character. */
function lengthOf(source: string, at: number, char: string): number {
  const form = char === "\\" ? escaped : char === "[" ? characters : char === "{" ? repetition : undefined;
  if (form === undefined) return 1;
  form.lastIndex = at;
  return form.exec(source)?.[0].length ?? 1;
}

/** How often a repetition writes out what it repeats. */
function timesOf(text: string): number {
  const [least = 0, most = 0] = text.slice(1, -1).split(",").map(Number);
  return Math.max(1, least, most);
}
