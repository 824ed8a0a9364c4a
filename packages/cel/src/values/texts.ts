/** Negative if `a` comes before `b` in the order of their code points, which is that of their bytes in UTF-8. */
export function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  const shorter = Math.min(a.length, b.length);
  for (let i = 0; i < shorter; i++) {
    const [one, other] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (one !== other) return rank(one) - rank(other);
  }
  return a.length - b.length;
}

/** Halves of characters beyond U+FFFF come after all others. */
const rank = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit);

/** Where the character of a number is in a text, in UTF-16 units; the number of characters is the end. Undefined: there is none. */
export function offsetOfCharacter(text: string, index: bigint): number | undefined {
  if (index < 0n || index > BigInt(text.length)) return undefined;
  // UTF-16 has no index of code points: they are counted from the start.
  let offset = 0;
  for (let left = Number(index); left > 0; left--) {
    if (offset >= text.length) return undefined;
    offset += (text.codePointAt(offset) ?? 0) > 0xffff ? 2 : 1;
  }
  return offset;
}
