/**
 * The message for a broken format rule: `msg (e.g. 'a',  or 'b', regex used for validation is '…')`. The spacing is
 * Kubernetes'.
 */
export function regexError(rule: string, regex: string, ...examples: readonly string[]): string {
  if (examples.length === 0) {
    return `${rule} (regex used for validation is '${regex}')`;
  }
  const shown = examples.map((example) => `'${example}', `).join(" or ");
  return `${rule} (e.g. ${shown}regex used for validation is '${regex}')`;
}

/** `must be no more than 63 characters`. */
export function maxLengthError(length: number): string {
  return `must be no more than ${length} characters`;
}

/** `must be between 1 and 65535, inclusive`. */
export function rangeError(low: number, high: number): string {
  return `must be between ${low} and ${high}, inclusive`;
}

/** Length of a text in UTF-8 bytes, which limits of names are in. It allocates nothing. */
export function byteLength(text: string): number {
  let length = text.length;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 0x7f) {
      // Each half of a surrogate pair counts two bytes, so the pair counts four; other units beyond Latin count two
      // or three.
      length += code > 0x7ff && (code < 0xd800 || code > 0xdfff) ? 2 : 1;
    }
  }
  return length;
}
