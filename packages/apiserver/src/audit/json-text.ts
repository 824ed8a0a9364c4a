// Events are concatenated from strings: there are some of each request, and most of their parts are known as text. The price of a text is
// the number of its pieces, hence those that many events have in common are kept in one piece. Unquoted are only words of this program,
// times, addresses, and identifiers that the server has checked.

/** Printable ASCII without quotes and backslashes, which JSON escapes. */
const plain = /^[ !#-[\]-~]*$/;

/** A string as JSON. */
export const q = (text: string): string => (plain.test(text) ? `"${text}"` : JSON.stringify(text));

/** The same text in one piece: the engine copies the pieces of a text when one of its characters is asked for. */
export function inOnePiece(text: string): string {
  text.charCodeAt(0);
  return text;
}
