/** Maximum length of an argument or environment variable (MAX_ARG_STRLEN), in bytes. */
const maxStringBytes = 128 * 1024;
/** Maximum total size of arguments and environment, in bytes. */
const maxTotalBytes = 6 * 1024 * 1024;

/** An expanded text, or all of them together, is larger than the kernel accepts for a process. */
class ExpansionError extends Error {
  override readonly name = "ExpansionError";
}

/**
 * Adds up the size of texts that are passed to a process, and enforces the kernel's limit.
 *
 * @param what name of the texts in error messages, such as `the environment`
 * @throws ExpansionError when a text exceeds the limit
 */
export function createSizeLimit(what: string): (text: string) => void {
  let bytes = 0;
  return (text) => {
    bytes += text.length;
    if (bytes > maxTotalBytes) throw new ExpansionError(`${what} is larger than ${maxTotalBytes} bytes`);
  };
}

/** {@link expand} for each of the words of a command line. @throws ExpansionError */
export function expandAll(words: readonly string[], lookup: (name: string) => string | undefined): readonly string[] {
  const count = createSizeLimit("the command line");
  return words.map((word) => {
    const expanded = expand(word, lookup);
    count(expanded);
    return expanded;
  });
}

/**
 * Replaces `$(NAME)` by the variable's value. `$$` stands for a single `$`. References to undefined variables, and a
 * `$` before any other character, are kept unchanged. Source: the field descriptions of `command` and `env` in core/v1.
 *
 * @param what name of the text in error messages
 * @throws ExpansionError if the result is longer than the kernel accepts; nested references can double the length with
 *   each variable
 */
export function expand(
  text: string,
  lookup: (name: string) => string | undefined,
  what = `the text ${JSON.stringify(text.slice(0, 64))}`,
): string {
  if (!text.includes("$")) return text;
  let result = "";
  // Without it, each "$(" in a text of megabytes without ")" would be searched for to the end.
  const lastEnd = text.lastIndexOf(")");
  for (let at = 0; at < text.length; ) {
    checkLength(result, what);
    const dollar = text.indexOf("$", at);
    if (dollar === -1 || dollar === text.length - 1) return result + text.slice(at);
    result += text.slice(at, dollar);
    const after = text[dollar + 1];
    const end = after === "(" && dollar < lastEnd ? text.indexOf(")", dollar + 2) : -1;
    if (after === "$") {
      result += "$";
      at = dollar + 2;
    } else if (end !== -1) {
      result += lookup(text.slice(dollar + 2, end)) ?? text.slice(dollar, end + 1);
      at = end + 1;
    } else {
      result += "$";
      at = dollar + 1;
    }
  }
  checkLength(result, what);
  return result;
}

function checkLength(result: string, what: string): void {
  if (result.length > maxStringBytes)
    throw new ExpansionError(`${what} is longer than ${maxStringBytes} bytes once its references are replaced`);
}
