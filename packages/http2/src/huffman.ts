/**
 * @module
 * The Huffman code of HPACK (RFC 7541, appendix B). The code is canonical: within a length codes ascend with the characters, so the
 * lengths determine the code.
 */

/** The printable characters, and NUL, by the length of their code. */
const printable: readonly (readonly [length: number, characters: string])[] = [
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

/** The other characters by the length of their code. A browser's header may contain them; ours do not. */
const others: readonly (readonly [length: number, codes: readonly number[]])[] = [
  [19, [195, 208]],
  [20, [128, 130, 131, 162, 184, 194, 224, 226]],
  [21, [153, 161, 167, 172, 176, 177, 179, 209, 216, 217, 227, 229, 230]],
  [
    22,
    [
      129, 132, 133, 134, 136, 146, 154, 156, 160, 163, 164, 169, 170, 173, 178, 181, 185, 186, 187, 189, 190, 196, 198,
      228, 232, 233,
    ],
  ],
  [
    23,
    [
      1, 135, 137, 138, 139, 140, 141, 143, 147, 149, 150, 151, 152, 155, 157, 158, 165, 166, 168, 174, 175, 180, 182,
      183, 188, 191, 197, 231, 239,
    ],
  ],
  [24, [9, 142, 144, 145, 148, 159, 171, 206, 215, 225, 236, 237]],
  [25, [199, 207, 234, 235]],
  [26, [192, 193, 200, 201, 202, 205, 210, 213, 218, 219, 238, 240, 242, 243, 255]],
  [27, [203, 204, 211, 212, 214, 221, 222, 223, 241, 244, 245, 246, 247, 248, 250, 251, 252, 253, 254]],
  [
    28,
    [2, 3, 4, 5, 6, 7, 8, 11, 12, 14, 15, 16, 17, 18, 19, 20, 21, 23, 24, 25, 26, 27, 28, 29, 30, 31, 127, 220, 249],
  ],
  [30, [10, 13, 22]],
];

/** The codes of one length: the first of them, and their characters in order. */
interface Row {
  readonly length: number;
  readonly first: number;
  readonly characters: string;
}

const rows: readonly Row[] = rowsOf();

function rowsOf(): readonly Row[] {
  const lengths = new Map<number, number[]>();
  for (const [length, characters] of printable)
    lengths.set(
      length,
      Array.from(characters, (one) => one.charCodeAt(0)),
    );
  for (const [length, codes] of others) lengths.set(length, [...(lengths.get(length) ?? []), ...codes]);
  const made: Row[] = [];
  let code = 0;
  let at = 0;
  for (const [length, codes] of [...lengths].sort(([a], [b]) => a - b)) {
    code *= 2 ** (length - at);
    at = length;
    made.push({ length, first: code, characters: String.fromCharCode(...codes.sort((a, b) => a - b)) });
    code += codes.length;
  }
  return made;
}

/**
 * Decodes a Huffman-coded string, whose bytes are characters of Latin-1. Up to seven bits at its end are padding.
 *
 * @throws RangeError for a code that is not that of a character
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
      if (candidate === undefined) throw new RangeError("a header's Huffman code is not that of a character");
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
