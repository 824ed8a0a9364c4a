import type { LineWriter } from "./log-backend.ts";

/** Writes to standard output. An output that nobody reads any more loses events, but does not end the process. */
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
