/**
 * The first key after all keys that start with `prefix`, for half-open ranges; undefined if there is none (the empty
 * prefix). Keys are ASCII, so incrementing the last code unit increments the last byte.
 */
export function prefixEnd(prefix: string): string | undefined {
  for (let i = prefix.length - 1; i >= 0; i--) {
    const code = prefix.charCodeAt(i);
    if (code < 0x7f) return prefix.slice(0, i) + String.fromCharCode(code + 1);
  }
  return undefined;
}
