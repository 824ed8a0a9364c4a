import type { LineWriter } from "./log-backend.ts";

/**
 * `--audit-log-path=-`: writes to standard output. If its reader has gone away, events are lost and reported, but the process does not end
 * with EPIPE.
 */
export function standardOutput(stream: NodeJS.WritableStream = process.stdout): LineWriter {
  const ignore = () => undefined;
  stream.on("error", ignore);
  return {
    append: (lines) =>
      new Promise((resolve, reject) => {
        stream.write(lines, (error) => (error ? reject(error) : resolve()));
      }),
    close: async () => void stream.off("error", ignore),
  };
}
