/**
 * Kinds of tokens of the label selector language. `in` and `notin` are operators only at the place of one, otherwise
 * identifiers.
 */
export type TokenKind =
  | "identifier"
  | "end"
  | "error"
  | "in"
  | "notin"
  | "("
  | ")"
  | ","
  | "!"
  | "="
  | "=="
  | "!="
  | ">"
  | "<";

/** A token and its text. */
export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

const symbols: ReadonlySet<string> = new Set(["(", ")", ",", "!", "=", "==", "!=", ">", "<"]);
const special = /[=!(),><]/;
const space = /[ \t\r\n]/;

/** All tokens of `text`, ending with `end`. Symbols are read greedily: `!=` is one token, `!!` two. */
export function tokenize(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let i = 0;
  while (i < text.length) {
    const char = text.charAt(i);
    if (space.test(char)) {
      i++;
    } else if (special.test(char)) {
      const two = text.slice(i, i + 2);
      const symbol = two.length === 2 && symbols.has(two) ? two : char;
      tokens.push({ kind: symbol as TokenKind, text: symbol });
      i += symbol.length;
    } else {
      const start = i;
      while (i < text.length && !special.test(text.charAt(i)) && !space.test(text.charAt(i))) {
        i++;
      }
      const word = text.slice(start, i);
      tokens.push({ kind: word === "in" || word === "notin" ? word : "identifier", text: word });
    }
  }
  tokens.push({ kind: "end", text: "" });
  return tokens;
}
