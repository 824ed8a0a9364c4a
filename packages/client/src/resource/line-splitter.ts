const newline = 0x0a;
/**
 * Limit of a line in bytes: no event is that long, as objects are limited to a few megabytes. It protects the process
 * from a server that never sends a line end.
 */
const maxLineBytes = 64 * 1024 * 1024;

/**
 * Splits a byte stream into lines without their line ends. It yields all lines that a chunk completes at once; empty lines and an
 * incomplete last line are dropped.
 *
 * @throws RangeError for a line beyond 64 MiB
 */
export async function* splitLines(source: AsyncIterable<Buffer>): AsyncGenerator<readonly string[], void, undefined> {
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  for await (const chunk of source) {
    let from = 0;
    let end = chunk.indexOf(newline);
    // A long event arrives in many chunks; they are joined once, when the line is complete.
    if (end === -1) {
      pending.push(chunk);
      pendingBytes += chunk.length;
      if (pendingBytes > maxLineBytes)
        throw new RangeError(`a line of the stream is longer than ${maxLineBytes} bytes`);
      continue;
    }
    const lines: string[] = [];
    if (pending.length > 0) {
      pending.push(chunk.subarray(0, end));
      const line = Buffer.concat(pending).toString("utf8");
      if (line !== "") lines.push(line);
      pending = [];
      pendingBytes = 0;
      from = end + 1;
      end = chunk.indexOf(newline, from);
    }
    while (end !== -1) {
      if (end > from) lines.push(chunk.toString("utf8", from, end));
      from = end + 1;
      end = chunk.indexOf(newline, from);
    }
    if (from < chunk.length) {
      const rest = chunk.subarray(from);
      pending.push(rest);
      pendingBytes = rest.length;
    }
    yield lines;
  }
}
