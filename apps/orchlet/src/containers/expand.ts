/**
 * Replaces `$(NAME)` by the variable's value. `$$` stands for a single `$`; a reference to what is not defined, and a `$` before
 * anything else, stay as they are.
 */
export function expand(text: string, lookup: (name: string) => string | undefined): string {
  if (!text.includes("$")) return text;
  let result = "";
  for (let at = 0; at < text.length; ) {
    const dollar = text.indexOf("$", at);
    if (dollar === -1 || dollar === text.length - 1) return result + text.slice(at);
    result += text.slice(at, dollar);
    const after = text[dollar + 1];
    const end = after === "(" ? text.indexOf(")", dollar + 2) : -1;
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
  return result;
}
