/** An error in an expression, with its place in the form of cel-go's compiler. */
export class SourceError extends Error {
  override readonly name = "SourceError";

  /** @param offset in UTF-16 units */
  constructor(source: string, offset: number, detail: string) {
    const before = source.slice(0, offset).split("\n");
    const line = before.length;
    const column = [...(before.at(-1) ?? "")].length;
    const snippet = (source.split("\n")[line - 1] ?? "").replaceAll("\t", " ");
    super(`ERROR: <input>:${line}:${column + 1}: ${detail}\n | ${snippet}\n | ${".".repeat(column)}^`);
  }
}
