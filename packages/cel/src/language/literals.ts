import { SourceError } from "./source.ts";

/** The escapes of the language; those of code points stand in texts only. */
const escapeForm = /\\(?:[abfnrtv"'`\\?]|[0-3][0-7]{2}|[xX][0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8})/y;

/**
 * Checks the texts in an expression: the library takes escapes that the language does not have.
 *
 * @throws SourceError for the first wrong escape
 */
export function checkLiterals(source: string): void {
  for (let i = 0; i < source.length; i++) {
    const character = source[i];
    if (character === "/" && source[i + 1] === "/") {
      const end = source.indexOf("\n", i);
      if (end < 0) return;
      i = end;
    } else if (character === '"' || character === "'") i = endOfText(source, i) - 1;
  }
}

/** @param start where the quotes open; @returns where the text is over */
function endOfText(source: string, start: number): number {
  const prefix = /(?<!\w)[rRbB]{1,2}$/.exec(source.slice(Math.max(0, start - 3), start))?.[0] ?? "";
  const first = start - prefix.length;
  const isBytes = /b/i.test(prefix);
  const isRaw = /r/i.test(prefix);
  const one = source.charAt(start);
  const quotes = source.startsWith(one.repeat(3), start) ? one.repeat(3) : one;
  let i = start + quotes.length;
  while (i < source.length && !source.startsWith(quotes, i)) {
    if (isRaw || source[i] !== "\\") {
      i++;
      continue;
    }
    escapeForm.lastIndex = i;
    const found = escapeForm.exec(source)?.[0];
    if (found === undefined)
      throw new SourceError(source, first, `Syntax error: token recognition error at: '${source.slice(first, i + 2)}'`);
    const point = /^\\u/i.test(found);
    if (point && (isBytes || Number.parseInt(found.slice(2), 16) > 0x10ffff))
      throw new SourceError(source, first, "unable to unescape string");
    i += found.length;
  }
  return i + quotes.length;
}
