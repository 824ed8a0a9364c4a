import type { Writable } from "node:stream";

const codes: readonly (string | undefined)[] = ["ENOSPC", "EDQUOT"];

/**
 * Keeps the process alive when its output cannot be written because the disk is full: a daemon must not exit because of
 * its log. Output is lost meanwhile. Other errors, such as a closed pipe, end the process as usual.
 */
export function surviveFullDisk(streams: readonly Writable[] = [process.stdout, process.stderr]): void {
  for (const stream of streams)
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (!codes.includes(error.code)) throw error;
    });
}
