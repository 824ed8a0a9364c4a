/**
 * Limit of characters of all warnings together; beyond it each is cut, and those that still fit are sent (KEP-1693).
 */
const maxTotal = 4096;
/** Limit of characters of one warning when they are cut. */
const maxOfOne = 256;

/**
 * The text as a quoted-string of HTTP: quotes and backslashes are escaped, control characters become spaces, other than
 * ASCII "?".
 */
function quotedText(text: string): string {
  let plain = "";
  for (const char of text) {
    const code = char.charCodeAt(0);
    if (char === '"' || char === "\\") plain += `\\${char}`;
    else if (code < 0x20 || code === 0x7f) plain += " ";
    else plain += code > 0x7e ? "?" : char;
  }
  return plain;
}

/** The first texts, each once and cut to `most` characters, up to the total; and whether these are all. */
function within(texts: readonly string[], most: number): { readonly kept: readonly string[]; readonly whole: boolean } {
  const kept = new Set<string>();
  let total = 0;
  for (const text of texts) {
    const cut = text.slice(0, most);
    if (kept.has(cut)) continue;
    total += cut.length;
    if (total > maxTotal) return { kept: [...kept], whole: false };
    kept.add(cut);
  }
  return { kept: [...kept], whole: true };
}

/**
 * Values of `Warning` headers (RFC 7234 §5.5, code 299), each text once. If warnings have more than 4096 characters
 * together, each is cut to 256, and those beyond the limit are left out: clients reject responses with long headers.
 */
export function warningHeaders(texts: readonly string[]): string[] {
  const all = within(texts, maxTotal + 1);
  const { kept } = all.whole ? all : within(texts, maxOfOne);
  return kept.map((text) => `299 - "${quotedText(text)}"`);
}
