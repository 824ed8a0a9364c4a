import type { Random } from "../random.ts";

// NUL, byte order marks, UTF-8 that is invalid (a surrogate, an overlong form, a code point beyond U+10FFFF), and
// tokens of JSON and YAML where they do not belong.
const splices = [
  "\u0000",
  "\u00ff\u00fe",
  "\u00ed\u00a0\u0080",
  "\u00c0\u00af",
  "\u00f4\u0090\u0080\u0080",
  '"__proto__":{"polluted":1},',
  '"constructor":{"prototype":{"polluted":1}},',
  "{",
  "[",
  "}",
  '"',
  "\\u0000",
  "\\ud800",
  "1e999",
  "-",
  "00",
  "0x1",
  ",,",
  "//",
  "\n---\n",
  "&a ",
  "*a",
  "<<: ",
  "!!binary ",
  "!!js/function ",
  "? ",
  "\r\n",
];

/**
 * The same bytes with some of them flipped, removed, duplicated, cut off or followed by others. Text as in a fuzz
 * case.
 * @param most - largest number of changes
 */
export function mutatedBytes(random: Random, text: string, most = 3): string {
  let out = text;
  for (let i = 1 + random.below(most); i > 0; i--) out = mutateOnce(random, out);
  return out;
}

function mutateOnce(random: Random, text: string): string {
  const at = random.below(text.length + 1);
  const length = Math.min(random.size(64), text.length - at);
  const before = text.slice(0, at);
  switch (random.below(7)) {
    case 0:
      return before;
    case 1:
      return before + text.slice(at + length);
    case 2:
      return text.slice(0, at + length) + text.slice(at);
    case 3:
      return before + random.pick(splices) + text.slice(at);
    case 4:
      return before + String.fromCharCode(random.below(256)) + text.slice(at + 1);
    case 5:
      return (
        before + String.fromCharCode((text.charCodeAt(at) ^ (1 << random.below(8))) & 0xff || 0) + text.slice(at + 1)
      );
    default:
      return before + random.pick(splices).repeat(1 + random.size(300)) + text.slice(at);
  }
}
