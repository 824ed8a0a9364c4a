/**
 * @module
 * The Huffman code of HPACK (RFC 7541, appendix B) for the characters of header values: NUL and printable ASCII. The
 * code is canonical: within a length codes ascend with the characters, so the lengths determine the code.
 */

/** Characters by the length of their code, in the order of the codes. */
const byLength: readonly (readonly [length: number, characters: string])[] = [
  [5, "012aceiost"],
  [6, " %-./3456789=A_bdfghlmnpru"],
  [7, ":BCDEFGHIJKLMNOPQRSTUVWYjkqvwxyz"],
  [8, "&*,;XZ"],
  [10, '!"()?'],
  [11, "'+|"],
  [12, "#>"],
  [13, "\0$@[]~"],
  [14, "^}"],
  [15, "<`{"],
  [19, "\\"],
];

/** The codes of one length: the first of them, and their characters in order. */
interface Row {
  readonly length: number;
  readonly first: number;
  readonly characters: string;
}

const rows: readonly Row[] = rowsOf();

function rowsOf(): readonly Row[] {
  const made: Row[] = [];
  let code = 0;
  let at = 0;
  for (const [length, characters] of byLength) {
    code *= 2 ** (length - at);
    at = length;
    made.push({ length, first: code, characters });
    code += characters.length;
  }
  return made;
}

/**
 * Decodes a Huffman-coded string. Up to seven bits at its end are padding.
 *
 * @throws RangeError for a code that is not that of a printable character
 */
export function decodeHuffman(bytes: Buffer): string {
  let text = "";
  let code = 0;
  let length = 0;
  let row = 0;
  for (const byte of bytes) {
    for (let bit = 7; bit >= 0; bit--) {
      code = code * 2 + ((byte >> bit) & 1);
      length++;
      const candidate = rows[row];
      if (candidate === undefined) throw new RangeError("a header's Huffman code is not that of a printable character");
      if (length < candidate.length) continue;
      const character = candidate.characters[code - candidate.first];
      if (character === undefined) {
        row++;
        continue;
      }
      text += character;
      code = 0;
      length = 0;
      row = 0;
    }
  }
  // The rest is padding: the beginning of the code that is all ones.
  if (length > 7 || code !== 2 ** length - 1) throw new RangeError("a header's Huffman code ends in the middle");
  return text;
}
