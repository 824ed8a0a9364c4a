import { StringDecoder } from "node:string_decoder";

/** Limits of what a node agent sends. */
export interface LineLimits {
  readonly maxBytes: number;
  /** In characters. */
  readonly maxLineLength: number;
}

/**
 * The lines of a body, without their ends, in the pieces in which they arrive; the last line may have no end.
 *
 * @throws Error when the body or a line is longer than the limits
 */
export async function* linesOf(
  body: AsyncIterable<Buffer>,
  limits: LineLimits,
): AsyncGenerator<readonly string[], void, void> {
  const { maxBytes, maxLineLength } = limits;
  const decoder = new StringDecoder("utf8");
  let bytes = 0;
  let rest = "";
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new Error(`the response is longer than ${maxBytes} bytes`);
    const lines = (rest + decoder.write(chunk)).split("\n");
    rest = lines.pop() ?? "";
    if (rest.length > maxLineLength || lines.some((line) => line.length > maxLineLength)) {
      throw new Error(`a line of the response is longer than ${maxLineLength} characters`);
    }
    yield lines;
  }
  if (rest !== "") yield [rest];
}
