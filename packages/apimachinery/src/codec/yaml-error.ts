/** Replacements for messages of the library that quote the text, which may be a secret. */
const silent: Readonly<Record<string, string>> = {
  BAD_ALIAS: "a value that begins with * refers to no anchor; quote it if it is text",
  BAD_COLLECTION_TYPE: "a tag is for a collection of another kind",
  BAD_DIRECTIVE: "a directive is not valid",
  BAD_DQ_ESCAPE: "an escape sequence is not valid",
  BAD_SCALAR_START: "a value begins with a character that is reserved; quote it",
  TAG_RESOLVE_FAILED: "a value that begins with ! has an unknown tag; quote it if it is text",
  UNEXPECTED_TOKEN: "a token is not allowed here",
};

interface PositionedError {
  readonly code: string;
  readonly message: string;
  readonly linePos?: readonly { readonly line: number; readonly col: number }[];
}

const isError = (error: unknown): error is PositionedError =>
  error instanceof Error && "code" in error && "pos" in error;

/**
 * Describes an error in a YAML text that may contain secrets, for logs: the error and its position, without quoting
 * the text.
 *
 * @param error from the library's parser with pretty errors, which contain the line, or from its conversion to a
 *   value
 */
export function yamlError(error: unknown): string {
  // Conversions fail for two reasons only: aliases without an anchor, and too many aliases.
  if (!isError(error)) return "an alias refers to no anchor, or there are too many aliases";
  const [place] = error.linePos ?? [];
  const own = Object.hasOwn(silent, error.code) ? silent[error.code] : undefined;
  const what = own ?? error.message.split(/ at line \d+|\n/, 1)[0];
  return place === undefined ? `${what}` : `${what} at line ${place.line}, column ${place.col}`;
}
